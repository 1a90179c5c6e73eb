"""SQL of the place of a value that can't be computed, for messages: its window or group with its key, or its row."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.model.internal_columns import POSITION, ROWTIME, WINDOW_END

NO_PLACE = "CAST(NULL AS STRING)"
OVER_ALL_ROWS = "'over all rows'"


def in_window(keys: Sequence[str]) -> str:
    """Of a result of a window operator: `in the window that ends at …, key (…)`. `keys` are SQL.

    >>> print(in_window(["shop"]))
    concat('in the window that ends at ', CAST(timestamp_millis(_nrt_end) AS STRING), ', key (', concat_ws(', ',
    coalesce(CAST(shop AS STRING), 'NULL')), ')')
    """
    key_text = f", ', key (', {_texts(keys)}, ')'" if keys else ""
    return f"concat('in the window that ends at ', CAST(timestamp_millis({WINDOW_END}) AS STRING){key_text})"


def in_group(keys: Sequence[str]) -> str:
    """Of a result of GROUP BY without windows: `in the group (…)`.

    >>> print(in_group(["shop"]))
    concat('in the group (', concat_ws(', ', coalesce(CAST(shop AS STRING), 'NULL')), ')')
    """
    return f"concat('in the group (', {_texts(keys)}, ')')" if keys else OVER_ALL_ROWS


def in_row(is_numbered: bool, has_rowtime: bool) -> str:
    """Of a row of a source: `in row 4 of /…, whose rowtime is …`; rows are counted from 0 in a file or range.

    >>> print(in_row(True, True))
    concat('in row ', CAST(_nrt_pos.row AS STRING), ' of ', regexp_replace(_nrt_pos.path, '^file:/+', '/'),
    ', whose rowtime is ', CAST(timestamp_millis(_nrt_ts) AS STRING))
    >>> print(in_row(False, False))
    concat('in a row of ', regexp_replace(_nrt_pos.path, '^file:/+', '/'))
    """
    row = f"'in row ', CAST({POSITION}.row AS STRING), ' of '" if is_numbered else "'in a row of '"
    time = f", ', whose rowtime is ', CAST(timestamp_millis({ROWTIME}) AS STRING)" if has_rowtime else ""
    return f"concat({row}, regexp_replace({POSITION}.path, '^file:/+', '/'){time})"


def _texts(keys: Sequence[str]) -> str:
    texts = ", ".join(f"coalesce(CAST({key} AS STRING), 'NULL')" for key in keys)
    return f"concat_ws(', ', {texts})"
