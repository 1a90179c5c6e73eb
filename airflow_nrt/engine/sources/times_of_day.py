"""Reading TIME: a text in results of json, one of three units in Parquet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.parquet as pq

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.times_of_day import SPARK_TIME, of_json_field, of_spark_time, times_as, with_times
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.tables import Column


def of_json(sql: str, kind: DataType) -> str:
    """SQL of a value whose times were read as texts."""
    return with_times(sql, kind, of_json_field)


@dataclass(frozen=True)
class Files:
    """Parquet files with the same units of times: how Spark reads their columns, and SQL of the values."""

    paths: tuple[str, ...]
    columns: tuple[Column, ...]
    values: tuple[str, ...]


def in_parquet(paths: Sequence[str], columns: Sequence[Column]) -> list[Files]:
    """The files by their units of times: Spark reads milliseconds as numbers, and other units as its TIME."""
    if not any(column.type.holds("TIME") for column in columns):
        return [Files(tuple(paths), tuple(columns), tuple(quote(column.name) for column in columns))]
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    for path in paths:
        alike[_with_finer_times(path)].append(path)
    return [_files(found, columns, finer) for finer, found in alike.items()]


def _files(paths: Sequence[str], columns: Sequence[Column], finer: frozenset[str]) -> Files:
    read, values = [], []
    for column in columns:
        others = column.name in finer
        read.append(replace(column, type=times_as(column.type, SPARK_TIME)) if others else column)
        values.append(of_parquet(quote(column.name), column.type) if others else quote(column.name))
    named = (f"{value} AS {quote(column.name)}" for value, column in zip(values, columns))
    return Files(tuple(paths), tuple(read), tuple(named))


def of_parquet(sql: str, kind: DataType) -> str:
    """SQL of a value that was read with Spark's TIME."""
    return with_times(sql, kind, of_spark_time)


def _with_finer_times(path: str) -> frozenset[str]:
    """The columns of a file whose times are finer than milliseconds; empty for an unreadable file."""
    try:
        return frozenset(field.name for field in pq.read_schema(path) if _is_finer(field.type))
    except (pa.ArrowException, OSError):
        return frozenset()


def _is_finer(kind: pa.DataType) -> bool:
    return pa.types.is_time64(kind) or any(_is_finer(kind.field(n).type) for n in range(kind.num_fields))
