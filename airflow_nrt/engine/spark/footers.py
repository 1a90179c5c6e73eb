"""Footers of Parquet files: rows, extremes and NULLs of columns, and Spark's schema, read without a Spark job."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import StructType

_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True)
class ColumnFooter:
    """A column: its extremes if it is BIGINT and has a value, and the number of its NULLs.

    `nulls` is None if the file has no number: Spark writes no statistics of a column with values of 4 KB and more.
    """

    least: int | None
    most: int | None
    nulls: int | None


@dataclass(frozen=True)
class Footer:
    rows: int
    columns: dict[str, ColumnFooter]


def read_footer(files: Iterable[Path], columns: Iterable[str] = ()) -> Footer:
    """The merged footers of these files, with these columns. Raises ValueError if one is no Parquet file."""
    rows = 0
    found = {name: ColumnFooter(None, None, 0) for name in columns}
    for file in files:
        footer = _metadata(file)
        rows += footer.num_rows
        places = [(footer.schema.column(n).path, n) for n in range(footer.num_columns)] if found else []
        for name, n in ((name, n) for name, n in places if name in found):
            for group in range(footer.num_row_groups):
                found[name] = _merged(found[name], footer.row_group(group).column(n).statistics)
    return Footer(rows, found)


def schema_of(file: Path) -> StructType:
    """The schema of a file that Spark wrote. Raises ValueError if it did not."""
    written = (_metadata(file).metadata or {}).get(_SCHEMA)
    if written is None:
        raise ValueError(f"{file} was not written by Spark")
    return StructType.fromJson(json.loads(written))


def _merged(column: ColumnFooter, statistics: Any) -> ColumnFooter:
    if statistics is None:
        return ColumnFooter(column.least, column.most, None)
    nulls = column.nulls + statistics.null_count if column.nulls is not None and statistics.has_null_count else None
    if not statistics.has_min_max or type(statistics.min) is not int:
        return ColumnFooter(column.least, column.most, nulls)
    least = statistics.min if column.least is None else min(column.least, statistics.min)
    most = statistics.max if column.most is None else max(column.most, statistics.max)
    return ColumnFooter(least, most, nulls)


def _metadata(file: Path) -> Any:
    try:
        return pq.read_metadata(file)
    except (pa.ArrowException, OSError) as wrong:
        # A file that can't be opened has an error number.
        if isinstance(wrong, OSError) and wrong.errno is not None:
            raise
        raise ValueError(f"{file} is no Parquet file") from None
