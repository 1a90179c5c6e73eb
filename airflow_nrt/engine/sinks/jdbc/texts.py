"""Values as the texts that are sent to a database, which makes its own values of them: no driver changes a time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.times_of_day import as_field, with_times
from airflow_nrt.model.tables import Column

if TYPE_CHECKING:
    import pyarrow as pa


def text_sql(column: Column) -> str:
    """SQL of the text of a column's value; bytes are hexadecimal, composed values JSON."""
    name, kind = quote(column.name), column.type
    if kind.name == "BOOLEAN":
        return f"CAST(CAST({name} AS INT) AS STRING)"
    if kind.is_bytes:
        return f"hex({name})"
    if kind.is_timestamp:
        digits = kind.precision if kind.precision is not None else 6
        fraction = f".{'S' * digits}" if digits else ""
        return f'date_format({name}, "yyyy-MM-dd HH:mm:ss{fraction}")'
    if kind.name == "TIME":
        return as_field(name)
    if kind.children:
        return f"to_json({with_times(name, kind, as_field)}, map('ignoreNullFields', 'false'))"
    return f"CAST({name} AS STRING)"


def sampled(content: bytes, keys: Sequence[str], measures: Sequence[str]) -> pa.Table:
    """Keys as texts and measures as doubles of a staged file."""
    # Imported with the first window: the import is slow, and many reports have no windows.
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    found = parquet.ParquetFile(io.BytesIO(content)).read([*keys, *measures], use_threads=False)
    doubles = [pc.cast(found[name], pa.float64()) for name in measures]
    return pa.table([*(found[name] for name in keys), *doubles], names=[*keys, *measures])
