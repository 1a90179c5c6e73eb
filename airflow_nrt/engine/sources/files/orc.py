"""Files of ORC as rows. Spark's reader converts anything to anything, so that the types of each file are checked."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import pyarrow as pa
from pyarrow import orc
from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.failures.failures import CorruptFileError
from airflow_nrt.engine.failures.parquet_types import in_words
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sources.files.asked_files import COUNTED, AskedFiles
from airflow_nrt.engine.sources.files.parquet import read_parquet
from airflow_nrt.engine.sources.files.stored_columns import (
    StoredColumn,
    alike_files,
    as_declared,
    converted,
    exact_number,
    holds_all,
    number_of,
    of_instant,
)
from airflow_nrt.engine.sources.malformed import NO_FAULT
from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.model.tables import LINE, Column

_OF_SPARK = b"spark.sql.catalyst.type"
"""What Spark writes beside a number that is its TIMESTAMP_NTZ."""
_LTZ = DataType("TIMESTAMP_LTZ", precision=6)
_OTHERS = {
    "BOOLEAN": (pa.bool_(),),
    "FLOAT": (pa.float32(),),
    "DOUBLE": (pa.float64(), pa.float32()),
    "DATE": (pa.date32(),),
    **dict.fromkeys(("CHAR", "VARCHAR", "STRING"), (pa.string(),)),
    **dict.fromkeys(("BINARY", "VARBINARY", "BYTES"), (pa.binary(),)),
}


def read_orc(ask: AskedFiles) -> DataFrame:
    if not ask.files:
        # No file has types to look at, and no rows are the same in every format.
        return read_parquet(ask)
    if any(column.type.is_timestamp for column in ask.wanted):
        _check_zone(ask.spark, ask.table.name)
    known = f"CAST(NULL AS STRING) AS {LINE}", *NO_FAULT, *ask.place, COUNTED
    of_partitions = [quote(column.name) for column in ask.partitions]
    parts = []
    for alike in alike_files([file.path for file in ask.files], partial(_stored_in, columns=ask.wanted)):
        found = ask.reader([*alike.columns, *ask.partitions]).orc([path.translate(GLOB) for path in alike.paths])
        parts.append(ask.of_partitions(found).selectExpr(*alike.values, *of_partitions, *known))
    return reduce(DataFrame.unionAll, parts)


def _check_zone(spark: SparkSession, table: str) -> None:
    """Raises InputError if Java's zone is not UTC: Spark reads a TIMESTAMP of ORC in it, and it may lack some times."""
    jvm: Any = spark._jvm
    zones = java_class(jvm, "java.util.TimeZone")
    if not zones.getDefault().hasSameRules(zones.getTimeZone("UTC")):
        raise InputError(
            f"table {table!r}: TIMESTAMP in ORC is read in the zone of Java, {zones.getDefault().getID()}, which may "
            "lack some times: start the driver with the variable TZ=UTC, or write parquet"
        )


def _stored_in(path: str, columns: tuple[Column, ...]) -> tuple[StoredColumn, ...]:
    """Raises CorruptFileError for a file whose columns are of other types than the table's, or whose schema can't be
    read."""
    try:
        fields = {field.name: field for field in orc.ORCFile(path).schema}
    except (pa.ArrowException, OSError) as wrong:
        raise CorruptFileError(path, str(wrong)) from None
    for field in fields.values():
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            raise CorruptFileError(path, f"its column {field.name} is TIMESTAMP_LTZ, which Spark does not read of ORC")
    return tuple(_stored(path, column, fields.get(column.name)) for column in columns)


def _stored(path: str, column: Column, field: pa.Field | None) -> StoredColumn:
    if field is None:
        return StoredColumn(None, f"CAST(NULL AS {column.type.spark}) AS {quote(column.name)}")
    if column.type.name == "TIMESTAMP" and pa.types.is_timestamp(field.type):
        return converted(column, _LTZ, of_instant(f"unix_micros({quote(column.name)})", column.type))
    if (field.metadata or {}).get(_OF_SPARK) == b"timestamp_ntz":
        fits, stored = column.type.name == "TIMESTAMP", "TIMESTAMP"
    else:
        number = exact_number(column, field.type)
        if number is not None:
            return number
        fits, stored = _holds(column.type, field.type), in_words(field.type)
    if fits:
        return as_declared(column)
    raise CorruptFileError(
        path,
        f"its column {column.name} is {stored}, and the table says {column.type.flink}. Declare the column as it is in "
        "the file (a query converts it by CAST)",
    )


def _holds(kind: DataType, stored: pa.DataType) -> bool:
    """Whether Spark reads each value as it is."""
    if kind.name == "ARRAY" and pa.types.is_list(stored):
        return _holds(kind.children[0][1], stored.value_type)
    if kind.name == "MAP" and pa.types.is_map(stored):
        return _holds(kind.children[0][1], stored.key_type) and _holds(kind.children[1][1], stored.item_type)
    if kind.name == "ROW" and pa.types.is_struct(stored):
        there = {field.name: field.type for field in stored}
        return all(name in there and _holds(child, there[name]) for name, child in kind.children)
    number = number_of(stored)
    return holds_all(kind, number) if number is not None else stored in _OTHERS.get(kind.name, ())
