"""Converts results of Python functions for Spark and Arrow. Spark would turn a value of another class into NULL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from airflow_nrt.basics.fractions import FULL_DIGITS, fraction_digits
from airflow_nrt.basics.texts import counted
from airflow_nrt.basics.times_of_day import DIGITS
from airflow_nrt.basics.types import INTEGER_LIMITS, DataType
from airflow_nrt.functions import Row

Convert = Callable[[Any], Any]

_CLASSES: dict[str, tuple[type, ...]] = {
    "BOOLEAN": (bool,), "STRING": (str,), "VARCHAR": (str,), "CHAR": (str,),
    **dict.fromkeys(("BYTES", "VARBINARY", "BINARY"), (bytes, bytearray)),
    "FLOAT": (float, int), "DOUBLE": (float, int), "DECIMAL": (Decimal, int),
    "DATE": (date,), "TIME": (time,), "TIMESTAMP": (datetime,), **dict.fromkeys(INTEGER_LIMITS, (int,)),
}  # fmt: skip


def conversion(kind: DataType, what: str = "the result") -> Convert:
    """A converter of values of the type, or None. It raises TypeError or OverflowError for others, named by `what`."""
    if kind.name == "ROW":
        convert = _row(kind, what)
    elif kind.name == "ARRAY":
        convert = _array(kind, what)
    elif kind.name == "MAP":
        convert = _map(kind, what)
    else:
        convert = _scalar(kind, what)
    return lambda value: None if value is None else convert(value)


def as_row(value: Any, row: DataType) -> tuple[Any, ...]:
    """The values of a row: a Row, a tuple or a list; anything else, and a list for one ARRAY, is its one value."""
    kinds = [kind.name for _, kind in row.children]
    is_row = isinstance(value, (tuple, Row)) or (isinstance(value, list) and kinds != ["ARRAY"])
    return tuple(value) if is_row else (value,)


def as_rows(result: Any) -> Iterable[Any]:
    """The rows of one result of a function: a generator, a list of rows, or one row."""
    if result is None:
        return ()
    if isinstance(result, (Row, tuple, str, bytes, dict)) or not isinstance(result, Iterable):
        return (result,)
    return result


def rows_conversion(row: DataType) -> Convert:
    """A converter of all rows of a function to a list of tuples. It raises TypeError for rows of another width."""
    convert = conversion(row)
    return lambda result: [convert(as_row(value, row)) for value in as_rows(result)]


def _row(kind: DataType, what: str) -> Convert:
    fields = [conversion(child, f"{what}, field {name!r},") for name, child in kind.children]
    names = [name for name, _ in kind.children]

    def convert(value: Any) -> tuple[Any, ...]:
        if isinstance(value, dict):
            value = [value.get(name) for name in names]
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"{what} {value!r} is no {kind.flink}")
        if len(value) != len(fields):
            raise TypeError(f"{what} {value!r} has {counted(len(value), 'value')}, {kind.flink} has {len(fields)}")
        return tuple(field(one) for field, one in zip(fields, value))

    return convert


def _array(kind: DataType, what: str) -> Convert:
    element = conversion(kind.children[0][1], f"an element of {what}")

    def convert(value: Any) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{what} {value!r} is no {kind.flink}")
        return [element(one) for one in value]

    return convert


def _map(kind: DataType, what: str) -> Convert:
    key, element = (conversion(child, f"a {name} of {what}") for name, child in kind.children)

    def convert(value: Any) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise TypeError(f"{what} {value!r} is no {kind.flink}")
        return {key(name): element(one) for name, one in value.items()}

    return convert


def _scalar(kind: DataType, what: str) -> Convert:
    name, classes, text = kind.name, _CLASSES[kind.name], kind.flink
    limit, kept = INTEGER_LIMITS.get(name, 0), fraction_digits(kind) if name == "TIMESTAMP" else DIGITS
    micros = 10 ** (FULL_DIGITS - kept)
    unit, digits = Decimal(1).scaleb(-(kind.scale or 0)), Context(prec=kind.precision or 1)

    def convert(value: Any) -> Any:
        fits = isinstance(value, classes) and (name == "BOOLEAN" or not isinstance(value, bool))
        if not fits or (name == "DATE" and isinstance(value, datetime)):
            plain = value.item() if hasattr(value, "item") else value
            if type(plain) is not type(value):
                # A scalar of numpy.
                return convert(plain)
            raise TypeError(f"{what} {value!r} is no {text}")
        if limit and not -limit - 1 <= value <= limit:
            raise OverflowError(f"{what} {value!r} does not fit {text}")
        if name in ("FLOAT", "DOUBLE"):
            return float(value)
        if name == "DECIMAL":
            try:
                return Decimal(value).quantize(unit, ROUND_HALF_UP, digits)
            except InvalidOperation:
                raise OverflowError(f"{what} {value!r} does not fit {text}") from None
        if name in ("TIME", "TIMESTAMP"):
            if value.tzinfo is not None:
                raise TypeError(f"{what} {value!r} has a zone, a {name} has none: leave it out")
            return value.replace(microsecond=value.microsecond // micros * micros)
        return value

    return convert
