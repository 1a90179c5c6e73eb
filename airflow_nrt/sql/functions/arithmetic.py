"""Functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.report.types import DataType, decimal
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.functions.signature import Function, any_nullable, check_count, check_integer, check_number
from airflow_nrt.sql.functions.temporal import round_to_unit
from airflow_nrt.sql.typed import Typed, common_type


def _same_type(spark: str) -> Function:
    """One number in, the same type out."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        check_number(arguments[0], 1, at, name)
        kind = arguments[0].type
        return Typed(f"CAST({spark}({arguments[0].sql}) AS {kind.spark})", kind)

    return function


def _to_double(spark: str, count: int = 1) -> Function:
    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, count, count)
        for position, argument in enumerate(arguments, 1):
            check_number(argument, position, at, name)
        listed = ", ".join(f"CAST({argument.sql} AS DOUBLE)" for argument in arguments)
        return Typed(f"{spark}({listed})", DataType("DOUBLE", nullable=any_nullable(arguments)))

    return function


def _modulo(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    for position, argument in enumerate(arguments, 1):
        check_integer(argument, position, at, name)
    kind = arguments[1].type.with_nullable(any_nullable(arguments))
    return Typed(f"CAST(({arguments[0].sql} % {arguments[1].sql}) AS {kind.spark})", kind)


def _rounded(spark: str) -> Function:
    """FLOOR and CEIL: of a number, or of a time `TO` a unit."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        if len(arguments) == 2 and arguments[1].type.name == "KEYWORD":
            return round_to_unit(arguments[0], arguments[1].sql, up=spark == "ceil", at=at)
        check_count(arguments, at, name, 1, 1)
        check_number(arguments[0], 1, at, name)
        kind = arguments[0].type
        result = decimal(kind.precision or 10, 0, nullable=kind.nullable) if kind.name == "DECIMAL" else kind
        return Typed(f"CAST({spark}({arguments[0].sql}) AS {result.spark})", result)

    return function


def _round(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, 2)
    check_number(arguments[0], 1, at, name)
    places = 0
    if len(arguments) == 2:
        if arguments[1].constant is None or not arguments[1].type.is_integer:
            raise NotThereYet("ROUND to a number of places that is not a constant", at)
        places = int(arguments[1].constant)
    kind = arguments[0].type
    if kind.name == "DECIMAL":
        scale = max(min(places, kind.scale or 0), 0)
        whole = (kind.precision or 10) - (kind.scale or 0)
        kind = decimal(min(whole + 1 + scale, 38), scale, nullable=kind.nullable)
    return Typed(f"CAST(round({arguments[0].sql}, {places}) AS {kind.spark})", kind)


def _extreme(spark: str) -> Function:
    """GREATEST and LEAST: NULL if any argument is."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, None)
        kind = common_type([argument.type for argument in arguments])
        if kind is None:
            raise SqlError(f"{name} can't compare {', '.join(a.type.flink for a in arguments)}", at)
        if len(arguments) == 1:
            return arguments[0]
        listed = ", ".join(f"CAST({argument.sql} AS {kind.spark})" for argument in arguments)
        missing = " OR ".join(f"{argument.sql} IS NULL" for argument in arguments)
        return Typed(f"CASE WHEN {missing} THEN NULL ELSE {spark}({listed}) END", kind)

    return function


ARITHMETIC: dict[str, Function] = {
    "ABS": _same_type("abs"),
    "SIGN": _same_type("sign"),
    "MOD": _modulo,
    "FLOOR": _rounded("floor"),
    "CEIL": _rounded("ceil"),
    "CEILING": _rounded("ceil"),
    "ROUND": _round,
    "POWER": _to_double("power", 2),
    "SQRT": _to_double("sqrt"),
    "EXP": _to_double("exp"),
    "LN": _to_double("ln"),
    "LOG10": _to_double("log10"),
    "LOG2": _to_double("log2"),
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
}
