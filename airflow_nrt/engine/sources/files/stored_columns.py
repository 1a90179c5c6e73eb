"""Columns of files in another type than the table's, read so that no value changes.

A value that the table's type does not hold stops the report: Spark would wrap it or round it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pyarrow as pa

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import BIGINT, INT, INTEGERS, DataType, decimal
from airflow_nrt.model.tables import Column

_LOOKERS = 8
"""Files whose types are read at a time, because remote file systems are slow to answer."""
_WHOLE = {
    pa.int8(): DataType("TINYINT"), pa.int16(): DataType("SMALLINT"), pa.int32(): INT, pa.int64(): BIGINT,
    pa.uint8(): DataType("SMALLINT"), pa.uint16(): INT, pa.uint32(): BIGINT, pa.uint64(): decimal(20, 0),
}  # fmt: skip


@dataclass(frozen=True)
class StoredColumn:
    """A column as Spark reads it (None: the file lacks it), and SQL of its value."""

    column: Column | None
    value: str


@dataclass(frozen=True)
class AlikeFiles:
    """Files whose columns are read in one way."""

    paths: tuple[str, ...]
    stored: tuple[StoredColumn, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(one.column for one in self.stored if one.column is not None)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(one.value for one in self.stored)


def alike_files(paths: Sequence[str], stored_in: Callable[[str], tuple[StoredColumn, ...]]) -> list[AlikeFiles]:
    """The files, grouped by how their columns are read."""
    alike: dict[tuple[StoredColumn, ...], list[str]] = defaultdict(list)
    with ThreadPoolExecutor(_LOOKERS) as pool:
        for path, stored in zip(paths, pool.map(stored_in, paths)):
            alike[stored].append(path)
    return [AlikeFiles(tuple(found), stored) for stored, found in alike.items()]


def as_declared(column: Column) -> StoredColumn:
    return StoredColumn(column, quote(column.name))


def converted(column: Column, kind: DataType, value: str) -> StoredColumn:
    """A column that is read as another type, with SQL of its value in the type of the table."""
    return StoredColumn(replace(column, type=kind), f"{value} AS {quote(column.name)}")


def exact_number(column: Column, stored: pa.DataType) -> StoredColumn | None:
    """A whole number or a decimal, in whatever width; None of any other type."""
    number = number_of(stored)
    if number is None or column.type.name not in (*INTEGERS, "DECIMAL"):
        return None
    name = quote(column.name)
    if number.spark == column.type.spark:
        return as_declared(column)
    if holds_all(column.type, number):
        return converted(column, number, f"CAST({name} AS {column.type.spark})")
    return converted(column, number, _checked(column, number))


def number_of(stored: pa.DataType) -> DataType | None:
    """The exact number that a type of Arrow is, None if it is none."""
    if pa.types.is_decimal(stored):
        return decimal(stored.precision, stored.scale)
    return _WHOLE.get(stored)


def holds_all(kind: DataType, number: DataType) -> bool:
    """Whether each value of one type of numbers is one of the other."""
    if kind.name in INTEGERS and number.name in INTEGERS:
        return INTEGERS.index(kind.name) >= INTEGERS.index(number.name)
    scale, other = kind.scale or 0, number.scale or 0
    return kind.name == "DECIMAL" and scale >= other and kind.digits - scale >= number.digits - other


def _checked(column: Column, number: DataType) -> str:
    """SQL of a number that its type may not hold.

    >>> print(_checked(Column("n", DataType("SMALLINT")), INT))
    IF(`n` IS NULL OR coalesce(try_cast(`n` AS SMALLINT) = `n`, false), try_cast(`n` AS SMALLINT),
    raise_error(concat('airflow-nrt stops: ', `n`, ' in column n of a file is no SMALLINT. Declare the column as it is
    in the file, INT')))
    """
    name = quote(column.name)
    value = f"try_cast({name} AS {column.type.spark})"
    says = f" in column {column.name} of a file is no {column.type.flink}. Declare the column as it is in the file, "
    message = f"concat('{STOP_MARK}', {name}, {string_literal(says + number.flink)})"
    return f"IF({name} IS NULL OR coalesce({value} = {name}, false), {value}, raise_error({message}))"


def of_instant(micros: str, kind: DataType) -> str:
    """SQL of a TIMESTAMP_LTZ, or of a TIMESTAMP that has its digits in UTC, whatever the session's zone is.

    >>> print(of_instant("us", DataType("TIMESTAMP")))
    TIMESTAMP_NTZ'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, CAST(us AS DECIMAL(20,0)) / 1000000)
    """
    if kind.name == "TIMESTAMP_LTZ":
        return f"timestamp_micros({micros})"
    since = f"make_dt_interval(0, 0, 0, CAST({micros} AS DECIMAL(20,0)) / 1000000)"
    return f"TIMESTAMP_NTZ'1970-01-01 00:00:00' + {since}"
