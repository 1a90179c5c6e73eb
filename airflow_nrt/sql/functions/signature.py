"""What functions are declared with: the checks of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airflow_nrt.report.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.typed import Typed

Function = Callable[[Sequence[Typed], Place, str], Typed]


def check_count(arguments: Sequence[Typed], at: Place, name: str, least: int, most: int | None) -> None:
    """Raises SqlError unless there are between `least` and `most` arguments."""
    if len(arguments) < least or (most is not None and len(arguments) > most):
        wanted = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
        raise SqlError(f"{name} takes {wanted} argument{'s' if wanted != '1' else ''}, here are {len(arguments)}", at)


def any_nullable(arguments: Sequence[Typed]) -> bool:
    return any(argument.type.nullable for argument in arguments)


def of_strings(spark: str, least: int, most: int | None, result: str = "STRING") -> Function:
    """A function of strings only, NULL if any argument is."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, least, most)
        for position, argument in enumerate(arguments, 1):
            check_string(argument, position, at, name)
        sql = spark.format(*(argument.sql for argument in arguments), all=", ".join(a.sql for a in arguments))
        return Typed(sql, DataType(result, nullable=any_nullable(arguments)))

    return function


def check_string(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_string and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be a string, it is {argument.type.flink}", at)


def check_number(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_numeric and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be a number, it is {argument.type.flink}", at)


def check_integer(argument: Typed, position: int, at: Place, name: str) -> None:
    if not argument.type.is_integer and argument.type.name != "NULL":
        raise SqlError(f"argument {position} of {name} must be a whole number, it is {argument.type.flink}", at)
