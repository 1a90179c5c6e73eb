"""SQL of the place of a value that can't be computed, for messages: its window or group with its key, or its row."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.model.internal_columns import POSITION, ROWTIME, WINDOW_END

NO_PLACE = "CAST(NULL AS STRING)"
OVER_ALL_ROWS = "'over all rows'"
IN_ON = "'in ON'"
"""Of a pair of rows that a join without windows compares: equal values count once."""
OF_READER = "_nrt_place"
"""A name in place of SQL: who computes the columns of a table, or reads the rows of a join, knows where they lie."""


def in_window(keys: Sequence[str], end: str = WINDOW_END) -> str:
    """Of a result of a window operator: `in the window that ends at …, key (…)`. `keys` and `end` (ms) are SQL.

    >>> print(in_window(["shop"]))
    concat('in the window that ends at ', CAST(timestamp_millis(_nrt_end) AS STRING), ', key (', concat_ws(', ',
    coalesce(CAST(shop AS STRING), 'NULL')), ')')
    """
    key_text = f", ', key (', {_texts(keys)}, ')'" if keys else ""
    return f"concat('in the window that ends at ', CAST(timestamp_millis({end}) AS STRING){key_text})"


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
    time = f", ', whose rowtime is ', CAST(timestamp_millis({ROWTIME}) AS STRING)" if has_rowtime else ""
    return in_file(f"{POSITION}.path", f"{POSITION}.row" if is_numbered else None, time)


def in_file(path: str, row: str | None, more: str = "") -> str:
    """Of a row of this file or range, both SQL: `in row 4 of /…`.

    >>> print(in_file("file", "n"))
    concat('in row ', CAST(n AS STRING), ' of ', regexp_replace(file, '^file:/+', '/'))
    """
    begin = f"'in row ', CAST({row} AS STRING), ' of '" if row is not None else "'in a row of '"
    return f"concat({begin}, regexp_replace({path}, '^file:/+', '/'){more})"


def in_partition(keys: Sequence[str]) -> str:
    """Of a partition of a table, by its names and values: `in the partition day=2024-06-18`. `keys` are column names.

    >>> print(in_partition(["day"]))
    concat('in the partition ', concat_ws('/', concat('day=', coalesce(CAST(`day` AS STRING), 'NULL'))))
    """
    values = (f"concat({string_literal(f'{key}=')}, coalesce(CAST({quote(key)} AS STRING), 'NULL'))" for key in keys)
    return f"concat('in the partition ', concat_ws('/', {', '.join(values)}))"


def in_values(row: int) -> str:
    """Of a row of VALUES, counted from 0: "'in row 4 of VALUES'"."""
    return f"'in row {row} of VALUES'"


def placed(sql: str, place: str) -> str:
    """SQL of a computed column, or of a watermark, of rows with this place.

    >>> print(placed("nrt_null('n + 1', NULL, _nrt_place)", NO_PLACE))
    nrt_null('n + 1', NULL, CAST(NULL AS STRING))
    """
    return sql.replace(OF_READER, place)


def _texts(keys: Sequence[str]) -> str:
    texts = ", ".join(f"coalesce(CAST({key} AS STRING), 'NULL')" for key in keys)
    return f"concat_ws(', ', {texts})"
