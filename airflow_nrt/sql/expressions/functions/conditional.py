"""Functions that choose between values, and tests of strings."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import TRUTH, Function, as_common, check_count, check_string
from airflow_nrt.sql.expressions.typed import Typed, common_type

_DIGITS = r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_HEXADECIMAL = r"0[xX](\p{XDigit}+\.?|\p{XDigit}*\.\p{XDigit}+)[pP][+-]?\d+"
_JAVA_DOUBLE = rf"^[\x00-\x20]*[+-]?(NaN|Infinity|({_DIGITS}|{_HEXADECIMAL})[fFdD]?)[\x00-\x20]*\z"
"""Texts that Java reads as a number, as Flink's test does."""


def _common(arguments: Sequence[Typed], at: Place, name: str) -> DataType:
    kind = common_type([argument.type for argument in arguments])
    if kind is None:
        listed = ", ".join(argument.type.flink for argument in arguments)
        raise SqlError(f"the values of {name} have different types: {listed}", at)
    return kind


def _coalesce(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """Gives "coalesce(CAST(`n` AS INT), CAST(0 AS INT))"."""
    check_count(arguments, at, name, 1, None)
    kind = _common(arguments, at, name)
    listed = ", ".join(as_common(argument, kind) for argument in arguments)
    return Typed(f"coalesce({listed})", kind.with_nullable(all(argument.type.nullable for argument in arguments)))


def _if_null(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    return _coalesce(arguments, at, name)


def _null_if(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """Gives "nullif(`n`, 0)"."""
    check_count(arguments, at, name, 2, 2)
    _common(arguments, at, name)
    first, second = arguments
    return Typed(f"nullif({first.sql}, {second.sql})", first.type.with_nullable(True), in_months=second.in_months)


def _if(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """Gives "IF((`n` > 1), CAST(1 AS INT), CAST(0 AS INT))"."""
    check_count(arguments, at, name, 3, 3)
    condition, *values = arguments
    if condition.type.name not in ("BOOLEAN", "NULL"):
        raise SqlError(f"argument 1 of IF must be a condition, it is {condition.type.flink}", at)
    kind = _common(values, at, name)
    yes, no = (as_common(value, kind) for value in values)
    return Typed(f"IF({condition.sql}, {yes}, {no})", kind)


def _matches(pattern: str) -> Function:
    """A test that is FALSE for NULL: "coalesce(`s` RLIKE '^\\p{L}+\\z', FALSE)"."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        check_string(arguments[0], 1, at, name)
        return Typed(f"coalesce({arguments[0].sql} RLIKE {string_literal(pattern)}, FALSE)", TRUTH)

    return function


def _type_of(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TYPEOF: the type as it is written. A second argument makes no difference for the types that there are here."""
    check_count(arguments, at, name, 1, 2)
    if len(arguments) == 2 and arguments[1].constant not in ("TRUE", "FALSE"):
        raise SqlError(f"argument 2 of {name} must be TRUE or FALSE", at)
    return Typed(string_literal(str(arguments[0].type)), DataType("STRING", nullable=False))


CONDITIONAL: dict[str, Function] = {
    "COALESCE": _coalesce,
    "IFNULL": _if_null,
    "NULLIF": _null_if,
    "IF": _if,
    "TYPEOF": _type_of,
    "IS_ALPHA": _matches(r"^\p{L}+\z"),
    "IS_DIGIT": _matches(r"^\p{Nd}+\z"),
    "IS_DECIMAL": _matches(_JAVA_DOUBLE),
}
