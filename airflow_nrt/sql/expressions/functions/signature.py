"""Declarations of functions: checks of their arguments, and templates of Spark SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.casts import cast_to
from airflow_nrt.sql.expressions.typed import Typed, may_not_fit

Function = Callable[[Sequence[Typed], Place, str], Typed]

TEXT = DataType("STRING", nullable=False)
WHOLE = DataType("INT", nullable=False)
TRUTH = DataType("BOOLEAN", nullable=False)
BINARY = DataType("BYTES", nullable=False)
"""Results that are NULL only where an argument is."""


def check_count(arguments: Sequence[Typed], at: Place, name: str, least: int, most: int | None) -> None:
    """Raises SqlError unless there are between `least` and `most` arguments."""
    if len(arguments) < least or (most is not None and len(arguments) > most):
        wanted = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
        raise SqlError(f"{name} takes {wanted} argument{'s' if wanted != '1' else ''}, here are {len(arguments)}", at)


def any_nullable(arguments: Sequence[Typed]) -> bool:
    return any(argument.type.nullable for argument in arguments)


def strict(arguments: Sequence[Typed], sql: str) -> str:
    """NULL where an argument is NULL, else the expression.

    >>> print(strict([Typed("`n`", WHOLE.with_nullable(True))], "f(`n`)"))
    CASE WHEN `n` IS NULL THEN NULL ELSE f(`n`) END
    """
    tests = [f"{argument.sql} IS NULL" for argument in arguments if argument.type.nullable]
    return f"CASE WHEN {' OR '.join(tests)} THEN NULL ELSE {sql} END" if tests else sql


def as_common(value: Typed, kind: DataType) -> str:
    """A value as the type that it has in common with others: "CAST(`n` AS BIGINT)", NULL if it does not fit."""
    return cast_to(value, kind) if may_not_fit(value.type, kind) else f"CAST({value.sql} AS {kind.spark})"


def bound(sql: str, body: str) -> str:
    """The body, with `_nrt_x` in it as the value of the expression, which is computed once.

    >>> print(bound("sqrt(x)", "_nrt_x + _nrt_x"))
    transform(array(sqrt(x)), _nrt_x -> _nrt_x + _nrt_x)[0]
    """
    return f"transform(array({sql}), _nrt_x -> {body})[0]"


def scalar(kinds: str, result: DataType, *templates: str) -> Function:
    """A function by templates: the last one has as many arguments as there are letters, each one before it one less.

    `kinds` has a letter for each argument: s string, i whole number, n number, b bytes. `{0}` is the first argument.
    A result that is NOT NULL is still NULL if an argument is.
    """
    least = len(kinds) - len(templates) + 1

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, least, len(kinds))
        for position, (argument, kind) in enumerate(zip(arguments, kinds), 1):
            _CHECKS[kind](argument, position, at, name)
        sql = templates[len(arguments) - least].format(*(argument.sql for argument in arguments))
        return Typed(sql, result.with_nullable(result.nullable or any_nullable(arguments)))

    return function


def of_strings(template: str, least: int) -> Function:
    """A function of any number of strings, which are `{all}` in the template. NULL if any of them is."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, least, None)
        for position, argument in enumerate(arguments, 1):
            check_string(argument, position, at, name)
        sql = template.format(all=", ".join(argument.sql for argument in arguments))
        return Typed(sql, TEXT.with_nullable(any_nullable(arguments)))

    return function


def check_string(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_string and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be a string, it is {argument.type.flink}", at)


def check_number(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_numeric and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be a number, it is {argument.type.flink}", at)


def check_exact(argument: Typed, position: int, at: Place, name: str) -> None:
    check_number(argument, position, at, name)
    if argument.type.is_approximate:
        raise SqlError(f"argument {position} of {name} must be an exact number, it is {argument.type.flink}", at)


def check_integer(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_integer and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be a whole number, it is {argument.type.flink}", at)


def _check_bytes(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_bytes and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be BYTES, it is {argument.type.flink}", at)


_CHECKS = {"s": check_string, "i": check_integer, "n": check_number, "b": _check_bytes}


def constant(argument: Typed, at: Place, name: str, what: str) -> str:
    """The text of a literal argument. Raises SqlError if it is no string, NotThereYet if it is an expression."""
    if not argument.type.is_string:
        raise SqlError(f"{name} wants a string as {what}, not {argument.type.flink}", at)
    if argument.constant is None:
        raise NotThereYet(f"{name} with {what} that is not a constant", at)
    return argument.constant


def constant_integer(argument: Typed, at: Place, name: str, what: str) -> int:
    if not argument.type.is_integer:
        raise SqlError(f"{name} wants a whole number as {what}, not {argument.type.flink}", at)
    if argument.constant is None:
        raise NotThereYet(f"{name} with {what} that is not a constant", at)
    return int(argument.constant)
