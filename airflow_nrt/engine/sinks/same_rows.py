"""Whether two files of results have the same rows, in any order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

MOST_BYTES = 64 * 1024 * 1024
"""Of larger files only the bytes are compared: their rows would not fit into the memory beside Spark's."""


def have_same_rows(suffix: str, rows: int, one: Path, other: Path) -> bool:
    """Whether files with this suffix, of so many rows each, have the same rows. False also where that is not known."""
    if max(one.stat().st_size, other.stat().st_size) > MOST_BYTES:
        return False
    if suffix == "parquet":
        tables = [pq.ParquetFile(file).read() for file in (one, other)]
        return tables[0].schema == tables[1].schema and _counted(tables[0]) == _counted(tables[1])
    texts = [file.read_bytes() for file in (one, other)]
    # A line break within a field of csv makes several lines of one row.
    if any(text.count(b"\n") != rows for text in texts):
        return False
    return Counter(texts[0].split(b"\n")) == Counter(texts[1].split(b"\n"))


def _counted(table: pa.Table) -> Counter[str]:
    return Counter(map(repr, table.to_pylist()))
