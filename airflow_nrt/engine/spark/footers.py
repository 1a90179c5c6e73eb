"""Footers of Parquet files: rows, extremes and NULLs of columns, and Spark's schema, read without a Spark job."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import StructType

_IN_MILLISECOND = {"milliseconds": 1, "microseconds": 1000, "nanoseconds": 1_000_000}
_FIRST_SURE = -2_208_988_800_000
"""1900-01-01 in milliseconds. Older writers counted the days before by another calendar."""
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


def times_in(file: Path, column: Sequence[str]) -> tuple[int, int] | None:
    """The least and the greatest time (ms) in a column of a file, by its path; None if the footer does not say.

    Writers of INT96 leave them out. Raises ValueError if it is no Parquet file.
    """
    footer = _metadata(file)
    place = next((n for n in range(footer.num_columns) if footer.schema.column(n).path == ".".join(column)), None)
    if place is None:
        return None
    unit = json.loads(footer.schema.column(place).logical_type.to_json()).get("timeUnit")
    extremes: list[int] = []
    for group in range(footer.num_row_groups):
        chunk = footer.row_group(group).column(place)
        statistics = chunk.statistics
        if statistics is None or unit not in _IN_MILLISECOND:
            return None
        if statistics.has_min_max:
            extremes += [statistics.min_raw // _IN_MILLISECOND[unit], statistics.max_raw // _IN_MILLISECOND[unit]]
        elif not statistics.has_null_count or statistics.null_count < chunk.num_values:
            return None
    return (min(extremes), max(extremes)) if extremes and min(extremes) >= _FIRST_SURE else None


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
