"""Values as a column of the database keeps them: rounded to its digits, without what it pads or cuts."""

from __future__ import annotations

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sinks.jdbc.database_columns import APPROXIMATE, DECIMAL, TEXT, TIME, TIMESTAMP, DatabaseColumn
from airflow_nrt.engine.sinks.jdbc.values_as_texts import number, written
from airflow_nrt.model.tables import Column

_PADDED = ("bpchar", "char")


def stored(column: Column, into: DatabaseColumn, rounds_times: bool) -> str:
    """SQL of a value as it is read back. `rounds_times`: a database that does not round times cuts them.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(stored(Column("n", DataType("INT")), DatabaseColumn("n", "int4", 10, 0), True))
    `n`
    """
    name, kind = quote(column.name), column.type
    if kind.is_string:
        return _text(written(column), into)
    if kind.is_bytes and into.kind == "binary":
        return f"rpad({name}, {into.size}, X'00')"
    if kind.is_numeric:
        return _number(name, kind, into)
    if into.digits is None or not kind.has_fraction_of_second or into.digits >= (kind.precision or 0):
        return name
    if kind.is_timestamp and into.group == TIMESTAMP:
        return _timestamp(name, kind, into.digits, rounds_times)
    if kind.spark == "INT" and into.group == TIME:
        return f"CAST({_cut(name, 10 ** (3 - into.digits), rounds_times)} AS INT)"
    return name


def _text(text: str, into: DatabaseColumn) -> str:
    """SQL of a text: blanks that have no room are cut."""
    if into.group != TEXT or into.size is None:
        return text
    return f"rtrim(left({text}, {into.size}))" if into.kind in _PADDED else f"left({text}, {into.size})"


def _number(name: str, kind: DataType, into: DatabaseColumn) -> str:
    """SQL of a number in a column of other numbers.

    >>> print(_number("x", DataType("DECIMAL", 10, 2), DatabaseColumn("x", "numeric", 8, 1)))
    CAST(round(x, 1) AS DECIMAL(10,2))
    """
    if into.group == APPROXIMATE and not kind.is_approximate:
        return number(f"CAST(CAST({name} AS DOUBLE) AS STRING)", kind)
    if into.group != DECIMAL or into.size is None or into.digits is None:
        return name
    if kind.is_approximate:
        rounded = f"CAST(CAST({name} AS STRING) AS DECIMAL(38,{into.digits}))"
        return f"IF(isnan({name}), {name}, CAST({rounded} AS {kind.spark}))"
    scale = kind.scale or 0
    return name if kind.is_integer or scale <= into.digits else f"CAST(round({name}, {into.digits}) AS {kind.spark})"


def _timestamp(name: str, kind: DataType, digits: int, rounds: bool) -> str:
    """SQL of a time with fewer digits.

    >>> print(_timestamp("t", DataType("TIMESTAMP", 3), 0, False))
    CAST(timestamp_micros(unix_micros(CAST(t AS TIMESTAMP)) - pmod(unix_micros(CAST(t AS TIMESTAMP)), 1000000)) AS
    TIMESTAMP_NTZ)
    """
    micros = f"unix_micros(CAST({name} AS TIMESTAMP))"
    return f"CAST(timestamp_micros({_cut(micros, 10 ** (6 - digits), rounds)}) AS {kind.spark})"


def _cut(number: str, unit: int, rounds: bool) -> str:
    """SQL of a whole number, to multiples of a unit.

    >>> print(_cut("n", 10, True))
    (n + 5) - pmod((n + 5), 10)
    """
    moved = f"({number} + {unit // 2})" if rounds else number
    return f"{moved} - pmod({moved}, {unit})"
