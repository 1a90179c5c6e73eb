"""SQL types of the annotations of Python functions, and of their declarations.

def late_by(at: datetime, kind: str | None) -> int | None: …        (TIMESTAMP(3), STRING) -> BIGINT
def tax(price: Decimal) -> Annotated[Decimal, "DECIMAL(10, 2)"]: …   (DECIMAL) -> DECIMAL(10, 2)
def words(s: str) -> Iterator[tuple[str, int]]: …                    (STRING) -> rows of STRING, BIGINT
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Generator, Iterable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from airflow_nrt.basics.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIME3, TIMESTAMP3, DataType, decimal
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.types import parse_type

_TYPES: dict[Any, DataType] = {
    bool: BOOLEAN,
    int: BIGINT,
    float: DOUBLE,
    str: STRING,
    bytes: DataType("BYTES"),
    Decimal: decimal(38, 18),
    datetime: TIMESTAMP3,
    date: DATE,
    time: TIME3,
}
_MANY = (Iterable, Iterator, Generator, list)


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function. A partial has those of its function, an object those of its `__call__`.

    Raises ValueError if they name something that does not exist.
    """
    if isinstance(function, functools.partial):
        return hints_of(function.func)
    has_own = inspect.isroutine(function)
    try:
        return typing.get_type_hints(function if has_own else type(function).__call__, include_extras=True)
    except (TypeError, ValueError, NameError) as wrong:
        raise ValueError(f"its annotations can't be read: {wrong}") from None


def hinted(hint: Any, what: str) -> DataType:
    """The SQL type of an annotation, NOT NULL unless it allows None. Raises ValueError if it is no SQL type."""
    if typing.get_origin(hint) is typing.Annotated:
        text = next((one for one in hint.__metadata__ if isinstance(one, str)), None)
        if text is not None:
            return written(text, what).with_nullable(_allows_none(hint.__origin__))
        hint = hint.__origin__
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        options = [one for one in inner if one is not type(None)]
        if len(options) == 1:
            return hinted(options[0], what).with_nullable(_allows_none(hint))
    elif origin is list and len(inner) == 1:
        return DataType("ARRAY", nullable=False, children=(("element", hinted(inner[0], what)),))
    elif origin is dict and len(inner) == 2:
        pair = zip(("key", "value"), (hinted(one, what) for one in inner))
        return DataType("MAP", nullable=False, children=tuple(pair))
    elif hint in _TYPES:
        return _TYPES[hint].with_nullable(False)
    known = ", ".join(one.__name__ for one in _TYPES)
    raise ValueError(
        f'{what} is {hint!r}, which is no SQL type: there are {known}, and Annotated[…, "DECIMAL(10, 2)"] for others'
    )


def hinted_rows(hint: Any, what: str) -> DataType:
    """The ROW of an iterable of tuples or of single values. Raises ValueError for another annotation."""
    inner = typing.get_args(hint)
    if typing.get_origin(hint) not in _MANY or not inner:
        raise ValueError(f"{what} is {hint!r}: write for example Iterator[tuple[str, int]]")
    columns = typing.get_args(inner[0]) if typing.get_origin(inner[0]) is tuple else (inner[0],)
    return row_of([hinted(column, what) for column in columns])


def row_of(kinds: Iterable[DataType]) -> DataType:
    """A ROW of columns without names."""
    return DataType("ROW", nullable=False, children=tuple((f"f{n}", kind) for n, kind in enumerate(kinds)))


def written(given: Any, what: str) -> DataType:
    """The type in a declaration: SQL text, or a DataType. Raises ValueError if Python functions don't take it."""
    if isinstance(given, str):
        kind = _parsed(given, what)
    elif isinstance(given, DataType):
        kind = given
    else:
        raise ValueError(f"{what} is {given!r}: write DataTypes.BIGINT(), or 'BIGINT'")
    if kind.holds("TIMESTAMP_LTZ", "INTERVAL"):
        raise ValueError(f"{what} is {kind.flink}, which Python functions do not take: use TIMESTAMP or BIGINT")
    return kind


def _parsed(text: str, what: str) -> DataType:
    try:
        cursor = Cursor(text)
        kind = parse_type(cursor)
        if not cursor.is_over:
            raise cursor.error("the end of the type")
    except SqlError as wrong:
        raise ValueError(f"{what} is {text!r}: {wrong.message}") from None
    return kind


def _allows_none(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)
