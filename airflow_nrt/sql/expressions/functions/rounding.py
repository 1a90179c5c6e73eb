"""FLOOR, CEIL, ROUND and TRUNCATE of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.types import MAX_PRECISION, DataType, decimal
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import Function, check_count, check_number, constant_integer
from airflow_nrt.sql.expressions.functions.temporal import round_to_unit
from airflow_nrt.sql.expressions.functions.times_of_day import of_times
from airflow_nrt.sql.expressions.typed import Typed

_FRACTIONS_END = 2**52
"""A DOUBLE of this size or more has no fraction."""


def _of_time(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    return round_to_unit(arguments[0], arguments[1].word, up=name != "FLOOR", at=at)


_of_clock = of_times(_of_time, lambda arguments: arguments[1].word)


def rounded(spark: str) -> Function:
    """FLOOR and CEIL: of a number, "CAST(floor(`price`) AS DECIMAL(8,0))", or of a time `TO` a unit.

    CEIL(n) is "CAST(ceil(`n`) AS INT)".

    CEIL(n) is "CAST(ceil(`n`) AS INT)".

    CEIL(n) is "CAST(ceil(`n`) AS INT)".
    """

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        if len(arguments) == 2 and arguments[1].type.name == "KEYWORD":
            return _of_clock(arguments, at, name)
        check_count(arguments, at, name, 1, 1)
        check_number(arguments[0], 1, at, name)
        kind, sql = arguments[0].type, arguments[0].sql
        if kind.is_approximate:
            # Spark's result is a BIGINT, into which neither NaN nor a large number fits.
            return Typed(f"IF(abs({sql}) < {_FRACTIONS_END}, CAST({spark}({sql}) AS {kind.spark}), {sql})", kind)
        result = decimal(kind.precision or 10, 0, nullable=kind.nullable) if kind.name == "DECIMAL" else kind
        return Typed(f"CAST({spark}({sql}) AS {result.spark})", result)

    return function


def _number_and_places(arguments: Sequence[Typed], at: Place, name: str) -> tuple[Typed, int]:
    check_count(arguments, at, name, 1, 2)
    check_number(arguments[0], 1, at, name)
    places = constant_integer(arguments[1], at, name, "a number of places") if len(arguments) == 2 else 0
    if abs(places) > MAX_PRECISION:
        raise SqlError(f"{name} takes -{MAX_PRECISION} to {MAX_PRECISION} places, not {places}", at)
    return arguments[0], places


def _with_places(kind: DataType, places: int) -> DataType:
    if kind.name != "DECIMAL" or places >= (kind.scale or 0):
        return kind
    scale = max(places, 0)
    whole = (kind.precision or 10) - (kind.scale or 0)
    return decimal(min(whole + 1 + scale, 38), scale, nullable=kind.nullable)


def round_places(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ROUND, half away from zero: "CAST(round(`price`, 1) AS DECIMAL(10,1))"."""
    number, places = _number_and_places(arguments, at, name)
    kind = _with_places(number.type, places)
    return Typed(f"CAST(round({number.sql}, {places}) AS {kind.spark})", kind)


def truncate_places(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TRUNCATE, towards zero: "CAST(`n` - `n` % 10 AS INT)"."""
    number, places = _number_and_places(arguments, at, name)
    kind, sql = _with_places(number.type, places), number.sql
    if kind.is_integer:
        step = 10 ** max(-places, 0)
        return number if step == 1 else Typed(f"CAST({sql} - {sql} % {step} AS {kind.spark})", kind)
    if kind.name == "DECIMAL":
        return Typed(f"CAST(IF({sql} < 0, ceil({sql}, {places}), floor({sql}, {places})) AS {kind.spark})", kind)
    if not 0 <= places <= 15:
        raise NotThereYet(f"{name} of {kind.flink} to {places} places", at, "0 to 15 places are there")
    exact = f"CAST(CAST(CAST({sql} AS DOUBLE) AS STRING) AS DECIMAL(38,18))"
    cut = f"CAST(IF({sql} < 0, ceil({exact}, {places}), floor({exact}, {places})) AS {kind.spark})"
    return Typed(f"IF(abs({sql}) < {_FRACTIONS_END}, {cut}, {sql})", kind)
