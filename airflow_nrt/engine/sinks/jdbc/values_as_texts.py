"""Values as the texts that are sent to a database, which makes its own values of them: no driver changes a time."""

from __future__ import annotations

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, times_as, with_times
from airflow_nrt.basics.types import STRING
from airflow_nrt.engine.sources.times_of_day import of_json
from airflow_nrt.model.tables import Column


def written(column: Column) -> str:
    """SQL of a text as it is written: PostgreSQL has no character NUL.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> print(written(Column("shop", DataType("STRING"))))
    replace(`shop`, char(0), '�')
    """
    return f"replace({quote(column.name)}, char(0), '\ufffd')"


def text_sql(column: Column) -> str:
    """SQL of the text of a column's value; bytes are hexadecimal, composed values JSON.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(text_sql(Column("at", DataType("TIMESTAMP", 3))))
    date_format(`at`, "yyyy-MM-dd HH:mm:ss.SSS")
    """
    name, kind = quote(column.name), column.type
    if kind.is_string:
        return written(column)
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


def value_sql(column: Column) -> str:
    """SQL of the value of a text that a database gives.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(value_sql(Column("price", DataType("DECIMAL", 10, 2))))
    CAST(`price` AS DECIMAL(10,2))
    """
    name, kind = quote(column.name), column.type
    if kind.is_bytes:
        return f"unhex({name})"
    if kind.children:
        plain = times_as(kind, STRING)
        # Keys of an object of JSON are texts.
        read = f"MAP<STRING, {plain.children[1][1].spark}>" if kind.name == "MAP" else plain.spark
        return f"CAST({of_json(f'from_json({name}, {string_literal(read)})', kind)} AS {kind.spark})"
    if kind.name == "TIME":
        return f"CAST({of_json(name, kind)} AS {kind.spark})"
    return f"CAST({name} AS {kind.spark})"
