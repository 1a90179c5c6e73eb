"""Python functions in expressions: their types are those of their annotations.

def late_by(at: datetime, kind: str | None) -> int | None: …        (TIMESTAMP(3), STRING) -> BIGINT
def tax(price: Decimal) -> Annotated[Decimal, "DECIMAL(10, 2)"]: …   (DECIMAL) -> DECIMAL(10, 2)
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from airflow_nrt.report.errors import InputError
from airflow_nrt.report.functions import PythonFunction, load_function
from airflow_nrt.report.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP3, DataType, Field, decimal
from airflow_nrt.sql import parsed
from airflow_nrt.sql.aggregates import AGGREGATES
from airflow_nrt.sql.cursor import Cursor
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.functions import FUNCTIONS
from airflow_nrt.sql.functions.clock import CLOCK_FUNCTIONS
from airflow_nrt.sql.functions.signature import Function, any_nullable, check_count
from airflow_nrt.sql.parse_types import parse_type
from airflow_nrt.sql.typed import Typed, as_decimal

_TYPES: dict[Any, DataType] = {
    bool: BOOLEAN,
    int: BIGINT,
    float: DOUBLE,
    str: STRING,
    bytes: DataType("BYTES"),
    Decimal: decimal(38, 18),
    datetime: TIMESTAMP3,
    date: DATE,
}
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_DECLARED: ContextVar[Mapping[str, Function]] = ContextVar("declared functions", default={})  # noqa: B039


@contextmanager
def calling(functions: Mapping[str, Function]) -> Iterator[None]:
    """Plans with these functions, by their names in upper case, beside those that are built in."""
    token = _DECLARED.set(functions)
    try:
        yield
    finally:
        _DECLARED.reset(token)


def declared_functions() -> Mapping[str, Function]:
    """The functions of the script that is being planned."""
    return _DECLARED.get()


def declare_function(statement: parsed.CreateFunction, base: Path) -> PythonFunction:
    """Imports the function and reads its annotations. Raises SqlError if it is not there, or has none."""
    name = statement.name.upper()
    if name in FUNCTIONS or name in CLOCK_FUNCTIONS or name in AGGREGATES:
        raise SqlError(f"there is a built-in function {name}: give yours another name", statement.at)
    try:
        function = load_function(statement.target, base)
    except InputError as wrong:
        raise SqlError(f"function {statement.name!r}: {wrong}", statement.at) from None
    try:
        parameters, result = _annotated(function)
    except ValueError as wrong:
        raise SqlError(f"function {statement.name!r} ({statement.target}): {wrong}", statement.at) from None
    required = sum(1 for one in inspect.signature(function).parameters.values() if one.default is one.empty)
    return PythonFunction(statement.name, statement.target, parameters, required, result)


def call_of(function: PythonFunction) -> Function:
    """How expressions call it."""

    def call(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, function.required, len(function.parameters))
        pairs = list(zip(arguments, function.parameters))
        values = ", ".join(_argument(argument, parameter, at, name) for argument, parameter in pairs)
        asked = [argument for argument, parameter in pairs if not parameter.type.nullable]
        kind = function.result
        return Typed(f"{function.spark_name}({values})", kind.with_nullable(kind.nullable or any_nullable(asked)))

    return call


# ---------------------------------------------------------------------------------------------------- annotations


def _annotated(function: Callable[..., Any]) -> tuple[tuple[Field, ...], DataType]:
    """Its parameters and the type of its result. Raises ValueError where an annotation is missing or no SQL type."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError, NameError) as wrong:
        raise ValueError(f"its annotations can't be read: {wrong}") from None
    for name, parameter in parameters.items():
        if parameter.kind not in _BY_POSITION:
            raise ValueError(f"{parameter} is not given by position: name each parameter")
        if name not in hints:
            raise ValueError(f"the parameter {name!r} has no annotation: write for example {name}: int")
    if "return" not in hints:
        raise ValueError("its result has no annotation: write for example -> int | None")
    fields = tuple(Field(name, _type(hints[name], name)) for name in parameters)
    return fields, _type(hints["return"], "the result")


def _type(hint: Any, what: str) -> DataType:
    """The SQL type that an annotation means; NOT NULL unless it allows None."""
    if typing.get_origin(hint) is typing.Annotated:
        text = next((one for one in hint.__metadata__ if isinstance(one, str)), None)
        if text is not None:
            return _written(text, what, nullable=_allows_none(hint.__origin__))
        hint = hint.__origin__
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        options = [one for one in typing.get_args(hint) if one is not type(None)]
        if len(options) == 1:
            return _type(options[0], what).with_nullable(_allows_none(hint))
    elif hint in _TYPES:
        return _TYPES[hint].with_nullable(False)
    known = ", ".join(one.__name__ for one in _TYPES)
    raise ValueError(
        f'{what} is {hint!r}, which is no SQL type: there are {known}, and Annotated[…, "DECIMAL(10, 2)"] for others'
    )


def _allows_none(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)


def _written(text: str, what: str, nullable: bool) -> DataType:
    try:
        cursor = Cursor(text)
        kind = parse_type(cursor)
        if not cursor.is_over:
            raise cursor.error("the end of the type")
    except SqlError as wrong:
        raise ValueError(f"{what} is {text!r}: {wrong.message}") from None
    if kind.name in ("TIMESTAMP_LTZ", "INTERVAL"):
        raise ValueError(f"{what} is {kind.flink}, which Python functions do not take: use TIMESTAMP or BIGINT")
    return kind.with_nullable(nullable)


# ---------------------------------------------------------------------------------------------------- arguments


def _argument(argument: Typed, parameter: Field, at: Place, name: str) -> str:
    """The argument as the parameter's type, where Flink would cast it silently. Raises SqlError elsewhere."""
    given, wanted = argument.type, parameter.type
    if given.name == "NULL":
        return f"CAST(NULL AS {wanted.spark})"
    if wanted.name == "DECIMAL" and (given.is_integer or given.name == "DECIMAL"):
        return f"CAST({argument.sql} AS {as_decimal(given).spark})"
    if given.is_numeric and wanted.is_numeric:
        if given.is_integer and wanted.is_integer:
            fits = given.digits <= wanted.digits
        else:
            fits = wanted.name == "DOUBLE" or (wanted.name == "FLOAT" and given.name != "DOUBLE")
        if fits:
            return f"CAST({argument.sql} AS {wanted.spark})"
    alike = (given.is_string and wanted.is_string) or (given.name == wanted.name == "TIMESTAMP")
    if alike or replace(given, nullable=True) == replace(wanted, nullable=True):
        return argument.sql
    raise SqlError(
        f"the parameter {parameter.name!r} of {name} is {wanted.flink}, the argument is {given.flink}: CAST it", at
    )
