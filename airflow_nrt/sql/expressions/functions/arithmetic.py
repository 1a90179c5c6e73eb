"""Functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.rounding import round_places, rounded, truncate_places
from airflow_nrt.sql.expressions.functions.signature import (
    BINARY,
    TEXT,
    Function,
    any_nullable,
    as_common,
    check_count,
    check_exact,
    check_number,
    scalar,
)
from airflow_nrt.sql.expressions.typed import Typed, common_type, remainder_type

_DOUBLE = DataType("DOUBLE", nullable=False)
_ODD = "IF(unhex(left({0}, 1)) IS NOT NULL, unhex(concat('00', substring({0}, 2))), NULL)"
"""UNHEX of an odd number of digits: Flink drops the first and begins with a zero byte."""


def _same_type(spark: str) -> Function:
    """A function of one number, whose result has the same type.

    ABS(n) is "CAST(abs(`n`) AS INT)".

    ABS(n) is "CAST(abs(`n`) AS INT)".

    ABS(n) is "CAST(abs(`n`) AS INT)".
    """

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        check_number(arguments[0], 1, at, name)
        kind = arguments[0].type
        return Typed(f"CAST({spark}({arguments[0].sql}) AS {kind.spark})", kind)

    return function


def _of_doubles(template: str, count: int = 1) -> Function:
    """A function of numbers as DOUBLE, whose result is a DOUBLE.

    SQRT(n) is "sqrt(CAST(`n` AS DOUBLE))".

    SQRT(n) is "sqrt(CAST(`n` AS DOUBLE))".
    """

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, count, count)
        for position, argument in enumerate(arguments, 1):
            check_number(argument, position, at, name)
        sql = template.format(*(f"CAST({argument.sql} AS DOUBLE)" for argument in arguments))
        return Typed(sql, _DOUBLE.with_nullable(any_nullable(arguments)))

    return function


def _logarithm(spark: str, of: str = "{0}") -> str:
    """Spark's logarithms are NULL where Flink's are -Infinity (of 0) or NaN (of less).

    >>> print(_logarithm("ln"))
    CASE WHEN {0} > 0 THEN ln({0}) WHEN {0} = 0 THEN CAST('-Infinity' AS DOUBLE) WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE)
    END
    """
    return (
        f"CASE WHEN {of} > 0 THEN {spark}({of}) WHEN {of} = 0 THEN CAST('-Infinity' AS DOUBLE)"
        f" WHEN {of} < 0 THEN CAST('NaN' AS DOUBLE) END"
    )


def divide_doubles(dividend: str, divisor: str) -> str:
    """Division as in IEEE 754: division by zero gives an infinity or NaN, while Spark's raises an error.

    >>> print(divide_doubles("a", "b"))
    coalesce(try_divide(a, b), a * power(b, -1))
    """
    return f"coalesce(try_divide({dividend}, {divisor}), {dividend} * power({divisor}, -1))"


_LN = _of_doubles(_logarithm("ln"))
_LOG_OF_BASE = _of_doubles(divide_doubles(f"({_logarithm('ln', '{1}')})", f"({_logarithm('ln', '{0}')})"), 2)


def _log(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    return (_LN if len(arguments) == 1 else _LOG_OF_BASE)(arguments, at, name)


def _modulo(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """MOD(n, 3) is "CAST((`n` % 3) AS INT)"."""
    check_count(arguments, at, name, 2, 2)
    for position, argument in enumerate(arguments, 1):
        check_exact(argument, position, at, name)
    kind = remainder_type(arguments[0].type, arguments[1].type).with_nullable(any_nullable(arguments))
    return Typed(f"CAST(({arguments[0].sql} % {arguments[1].sql}) AS {kind.spark})", kind)


def _hex(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """HEX(n) is "hex(`n`)"."""
    check_count(arguments, at, name, 1, 1)
    kind = arguments[0].type
    if not (kind.is_integer or kind.is_string or kind.name == "NULL"):
        raise SqlError(f"argument 1 of {name} must be a whole number or a string, it is {kind.flink}", at)
    return Typed(f"hex({arguments[0].sql})", TEXT.with_nullable(kind.nullable))


def _extreme(spark: str) -> Function:
    """GREATEST and LEAST: NULL if any argument is.

    LEAST(n, 2) is "CASE WHEN `n` IS NULL OR 2 IS NULL THEN NULL ELSE least(CAST(`n` AS INT), CAST(2 AS INT)) END".

    LEAST(n, 2) is "CASE WHEN `n` IS NULL OR 2 IS NULL THEN NULL ELSE least(CAST(`n` AS INT), CAST(2 AS INT)) END".
    """

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, None)
        kind = common_type([argument.type for argument in arguments])
        if kind is None:
            raise SqlError(f"{name} can't compare {', '.join(a.type.flink for a in arguments)}", at)
        if len(arguments) == 1:
            return arguments[0]
        listed = ", ".join(as_common(argument, kind) for argument in arguments)
        missing = " OR ".join(f"{argument.sql} IS NULL" for argument in arguments)
        return Typed(f"CASE WHEN {missing} THEN NULL ELSE {spark}({listed}) END", kind)

    return function


ARITHMETIC: dict[str, Function] = {
    "ABS": _same_type("abs"),
    "SIGN": _same_type("sign"),
    "MOD": _modulo,
    "FLOOR": rounded("floor"),
    "CEIL": rounded("ceil"),
    "CEILING": rounded("ceil"),
    "ROUND": round_places,
    "TRUNCATE": truncate_places,
    "POWER": _of_doubles("power({0}, {1})", 2),
    "SQRT": _of_doubles("sqrt({0})"),
    "EXP": _of_doubles("exp({0})"),
    "LN": _LN,
    "LOG": _log,
    "LOG10": _of_doubles(_logarithm("log10")),
    "LOG2": _of_doubles(_logarithm("log2")),
    **{name: _of_doubles(f"{name.lower()}({{0}})") for name in (
        "SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH", "DEGREES", "RADIANS",
    )},
    "ATAN2": _of_doubles("atan2({0}, {1})", 2),
    "PI": scalar("", _DOUBLE, "pi()"),
    "E": scalar("", _DOUBLE, "e()"),
    "BIN": scalar("i", TEXT, "bin({0})"),
    "HEX": _hex,
    "UNHEX": scalar("s", BINARY.with_nullable(True), f"IF(length({{0}}) % 2 = 1, {_ODD}, unhex({{0}}))"),
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
}  # fmt: skip
