"""Files of Parquet as rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.times_of_day import SPARK_TIME, times_as
from airflow_nrt.basics.types import BIGINT, INTEGERS
from airflow_nrt.engine.sources.files.asked_files import COUNTED, AskedFiles
from airflow_nrt.engine.sources.files.stored_columns import (
    AlikeFiles,
    StoredColumn,
    alike_files,
    as_declared,
    converted,
    exact_number,
    of_instant,
)
from airflow_nrt.engine.sources.malformed import NO_FAULT
from airflow_nrt.engine.sources.times_of_day import is_finer, of_parquet
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.model.tables import LINE, Column

_INT96 = "INT96"
"""An older type of times, which Arrow takes for nanoseconds."""


def read_parquet(ask: AskedFiles) -> DataFrame:
    known = f"CAST(NULL AS STRING) AS {LINE}", *NO_FAULT, *ask.place, COUNTED
    parts = []
    for alike in in_parquet([file.path for file in ask.files], [*ask.wanted, *ask.partitions]):
        found = ask.reader(alike.columns).parquet(*(path.translate(GLOB) for path in alike.paths))
        parts.append(ask.of_partitions(found).selectExpr(*alike.values, *known))
    return reduce(DataFrame.unionAll, parts)


def in_parquet(paths: Sequence[str], columns: Sequence[Column]) -> list[AlikeFiles]:
    """The files by how their columns are read. Footers are read only where the type of a column does not say it.
    Without files there is one part, which has none."""
    said = not any(column.type.holds("TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "DECIMAL", *INTEGERS) for column in columns)
    if said or not paths:
        return [AlikeFiles(tuple(paths), tuple(map(as_declared, columns)))]
    return alike_files(paths, partial(_stored_in, columns=tuple(columns)))


def _stored_in(path: str, columns: tuple[Column, ...]) -> tuple[StoredColumn, ...]:
    """As declared in an unreadable file, which Spark reports."""
    try:
        schema = pq.read_metadata(path).schema
        kinds = {field.name: field.type for field in schema.to_arrow_schema()}
    except (pa.ArrowException, OSError):
        return tuple(map(as_declared, columns))
    older = {schema.column(n).path for n in range(len(schema.names)) if schema.column(n).physical_type == _INT96}
    return tuple(
        as_declared(one) if one.name in older or one.name not in kinds else _stored(one, kinds[one.name])
        for one in columns
    )


def _stored(column: Column, kind: pa.DataType) -> StoredColumn:
    name = quote(column.name)
    if column.type.holds("TIME"):
        # Spark reads milliseconds as numbers, and other units as its TIME.
        if not is_finer(kind):
            return as_declared(column)
        return converted(column, times_as(column.type, SPARK_TIME), of_parquet(name, column.type))
    if column.type.is_timestamp and pa.types.is_timestamp(kind) and kind.unit == "ns":
        return converted(column, BIGINT, of_instant(f"({name} - pmod({name}, 1000)) DIV 1000", column.type))
    return exact_number(column, kind) or as_declared(column)
