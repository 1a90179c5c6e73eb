"""Whether a table has the columns of a sink, in types that hold their values, and rows with the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, DecimalType, StructField, StructType, _parse_datatype_string

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.tables import Column, Table

_WIDER = {
    "tinyint": ("smallint", "int", "bigint"),
    "smallint": ("int", "bigint"),
    "int": ("bigint",),
    "float": ("double",),
    # On the session's clock, which is UTC unless the report says otherwise.
    "timestamp_ntz": ("timestamp",),
    "timestamp": ("timestamp_ntz",),
}
"""Types that hold each value of another one, by Spark's names."""


def check_columns(sink: Table, schema: StructType, place: str) -> None:
    """Raises InputError for the first column that the table lacks, or that can't hold the values of the report, and for
    one that needs a value and gets none."""
    where = f"table {sink.name!r}: table {place}"
    known = {field.name: field for field in schema.fields}
    for column in sink.physical:
        if column.name not in known:
            raise InputError(f"{where} has no column {column.name!r}; it has {', '.join(known)}")
        kind = known[column.name].dataType
        if not _holds(kind, _parse_datatype_string(column.type.spark)):
            raise InputError(
                f"{where}: its column {column.name!r} is {kind.simpleString().upper()}, the report writes "
                f"{column.type.flink}: CAST the value, or change the column"
            )
    written = {column.name for column in sink.physical}
    lacking = next((field.name for field in schema.fields if not field.nullable and field.name not in written), None)
    if lacking is not None:
        raise InputError(f"{where}: its column {lacking!r} is NOT NULL, and the report does not write it: declare it")


def _holds(kind: DataType, written: DataType) -> bool:
    if isinstance(kind, DecimalType) and isinstance(written, DecimalType):
        whole = kind.precision - kind.scale >= written.precision - written.scale
        return whole and kind.scale >= written.scale
    names = kind.simpleString(), written.simpleString()
    return names[0] == names[1] or names[0] in _WIDER.get(names[1], ())


def columns_sql(columns: Iterable[Column]) -> str:
    """The columns of a table that the product creates."""
    return ", ".join(f"{quote(column.name)} {column.type.spark}" for column in columns)


def with_columns_of(schema: StructType, rows: DataFrame, more: Iterable[str] = ()) -> DataFrame:
    """The rows in the types of a table, with NULL in its further columns, and `more` of their own columns."""
    have = set(rows.columns)
    return rows.selectExpr(*(_value(field, field.name in have) for field in schema.fields), *more)


def _value(field: StructField, is_written: bool) -> str:
    """SQL of a column of the table: the rows' own, or NULL.

    >>> from pyspark.sql.types import LongType
    >>> print(_value(StructField("n", LongType()), False))
    CAST(NULL AS bigint) AS `n`
    """
    name, kind = quote(field.name), field.dataType.simpleString()
    return f"CAST({name if is_written else 'NULL'} AS {kind}) AS {name}"
