"""SUM, exact for exact types in any order: integers and short decimals as whole numbers, without BigDecimal.

A whole number of up to 10 digits is summed as BIGINT (9 * 10^8 rows of the largest value fit). Longer ones are split
into their upper and lower 32 bits, whose sums always fit, and combined at the end. So are decimals of more than 28
digits (`model/wide_sums.py`).
"""

from __future__ import annotations

from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.aggregates.accumulators import (
    Accumulator,
    Accumulators,
    Operand,
    checked_integer,
    noted_decimal,
)
from airflow_nrt.engine.aggregates.count import counter
from airflow_nrt.model.internal_columns import CARRY
from airflow_nrt.model.operators import AggregateCall
from airflow_nrt.model.wide_sums import exact_total, high_part, is_wide, low_part, pointed, rough_total

_SHORT_DIGITS = 10
_DOUBLE_DIGITS = 15
"""A DOUBLE beside such a decimal, times its power of ten, is nearer to the whole number than to any other: both are
below 2^50, and two roundings add up to less than a quarter."""
_LEAST_SCALE = 6
"""What Spark keeps of the scale of a product that may need more than 38 digits."""


def sum_parts(operand: Operand) -> tuple[tuple[Accumulator, ...], str]:
    r"""The accumulators of a sum, and SQL of the sum over them: whole, unscaled for short decimals.

    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", DataType("BIGINT"))
    >>> parts, whole = sum_parts(operand)
    >>> print(*(one.lifted for one in parts), whole, sep="\n")
    CAST(shiftright(CAST(price AS BIGINT), 32) AS BIGINT) AS h_price
    CAST((CAST(price AS BIGINT) & 4294967295L) AS BIGINT) AS l_price
    (CAST(h_price AS DECIMAL(38,0)) * CAST(4294967296L AS DECIMAL(10,0)) + l_price)
    """
    kind = operand.type
    assert kind is not None
    if kind.is_approximate:
        one = Accumulator(f"s_{operand.tag}", operand.value, "DOUBLE")
        return (one,), one.name
    if is_wide(kind):
        low, high = wide_parts("s", operand, operand.value, kind.scale or 0)
        return (low, high), exact_total(low.name, high.name, kind.scale or 0)
    if not kind.is_whole:
        one = Accumulator(f"s_{operand.tag}", operand.value, f"DECIMAL(38,{kind.scale})")
        return (one,), one.name
    whole = unscaled(operand.value, kind)
    if kind.digits <= _SHORT_DIGITS:
        one = Accumulator(f"s_{operand.tag}", whole, "BIGINT")
        return (one,), one.name
    high = Accumulator(f"h_{operand.tag}", f"shiftright({whole}, 32)", "BIGINT")
    low = Accumulator(f"l_{operand.tag}", f"({whole} & 4294967295L)", "BIGINT")
    return (high, low), f"(CAST({high.name} AS DECIMAL(38,0)) * CAST(4294967296L AS DECIMAL(10,0)) + {low.name})"


def wide_parts(name: str, operand: Operand, value: str, scale: int) -> tuple[Accumulator, Accumulator]:
    """The accumulators of a sum that may need more than 38 digits. Partials of earlier versions have the first alone.

    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", DataType("DECIMAL", 38, 2))
    >>> print(*(one.name for one in wide_parts("s", operand, "price", 2)))
    s_price _nrt_carry_s_price
    """
    low, high = f"{name}_{operand.tag}", f"{CARRY}{name}_{operand.tag}"
    return (
        Accumulator(low, low_part(value, scale), f"DECIMAL(38,{scale})", "try_sum({0}){over}"),
        Accumulator(high, high_part(value, scale), "BIGINT"),
    )


def leaving_parts(operand: Operand) -> tuple[tuple[Accumulator, ...], str]:
    r"""`sum_parts` for values that are subtracted again (distinct values of HOP), also NaN and infinity.

    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", DataType("DOUBLE"))
    >>> parts, whole = leaving_parts(operand)
    >>> print(*(one.lifted for one in parts), whole, sep="\n")
    CAST(IF(abs(CAST(price AS DOUBLE)) < double('Infinity'), CAST(price AS DOUBLE), 0D) AS DOUBLE) AS s_price
    CAST(IF(isnan(CAST(price AS DOUBLE)), 1, 0) AS BIGINT) AS sx_price
    CAST(IF(CAST(price AS DOUBLE) = double('Infinity'), 1, 0) AS BIGINT) AS sp_price
    CAST(IF(CAST(price AS DOUBLE) = -double('Infinity'), 1, 0) AS BIGINT) AS sm_price
    CASE WHEN sx_price > 0 OR (sp_price > 0 AND sm_price > 0) THEN double('NaN') WHEN sp_price > 0 THEN
    double('Infinity') WHEN sm_price > 0 THEN -double('Infinity') ELSE s_price END
    """
    if operand.type is None or not operand.type.is_approximate:
        return sum_parts(operand)
    value, infinity = f"CAST({operand.value} AS DOUBLE)", "double('Infinity')"
    finite = Accumulator(f"s_{operand.tag}", f"IF(abs({value}) < {infinity}, {value}, 0D)", "DOUBLE")
    nans = Accumulator(f"sx_{operand.tag}", f"IF(isnan({value}), 1, 0)", "BIGINT")
    above = Accumulator(f"sp_{operand.tag}", f"IF({value} = {infinity}, 1, 0)", "BIGINT")
    below = Accumulator(f"sm_{operand.tag}", f"IF({value} = -{infinity}, 1, 0)", "BIGINT")
    whole = (
        f"CASE WHEN {nans.name} > 0 OR ({above.name} > 0 AND {below.name} > 0) THEN double('NaN') "
        f"WHEN {above.name} > 0 THEN {infinity} WHEN {below.name} > 0 THEN -{infinity} ELSE {finite.name} END"
    )
    return (finite, nans, above, below), whole


def unscaled(value: str, kind: DataType) -> str:
    """The value without its decimal point, as BIGINT.

    >>> print(unscaled("price", DataType("DECIMAL", 10, 2)))
    CAST(rint(CAST(price AS DOUBLE) * 100D) AS BIGINT)
    """
    if kind.is_integer:
        return f"CAST({value} AS BIGINT)"
    if kind.digits <= _DOUBLE_DIGITS:
        return f"CAST(rint(CAST({value} AS DOUBLE) * {10 ** (kind.scale or 0)}D) AS BIGINT)"
    return f"CAST({value} * CAST({10 ** (kind.scale or 0)}L AS DECIMAL({(kind.scale or 0) + 1},0)) AS BIGINT)"


def total(call: AggregateCall, operand: Operand) -> Accumulators:
    """SUM, as the type of its result.

    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "SUM", "price", kind, None, False, kind, "SUM(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> print(total(call, operand).result)
    CASE WHEN s_price IS NULL THEN NULL WHEN s_price BETWEEN -2147483648 AND 2147483647 THEN CAST(s_price AS INT) ELSE
    raise_error(concat('SUM(price) overflows INT ', {place})) END
    """
    kind = operand.type
    assert kind is not None
    columns, whole = leaving_parts(operand) if call.distinct else sum_parts(operand)
    if is_wide(kind):
        low, high = (one.name for one in columns)
        whole = noted_decimal(f"{low} IS NOT NULL", whole, rough_total(low, high, kind.scale or 0), call)
    if call.distinct:
        # Distinct values of HOP are subtracted again: zero may mean that no value is left, which is NULL.
        number = counter(operand)
        columns, whole = (*columns, number), f"IF({number.name} > 0, {whole}, NULL)"
    if kind.is_integer:
        return Accumulators(columns, checked_integer(whole, call))
    if kind.name == "DECIMAL" and kind.is_whole:
        return Accumulators(columns, scaled(whole, kind.scale or 0, call.type.spark))
    return Accumulators(columns, f"CAST({whole} AS {call.type.spark})")


def scaled(whole: str, scale: int, spark_type: str) -> str:
    """A whole number with its decimal point put back.

    >>> print(scaled("s", 2, "DECIMAL(38,2)"))
    CAST(CAST(s AS DECIMAL(38,0)) * CAST('0.01' AS DECIMAL(3,2)) AS DECIMAL(38,2))
    """
    if scale > _LEAST_SCALE:
        return pointed(f"CAST({whole} AS DECIMAL(38,0))", scale, spark_type)
    return (
        f"CAST(CAST({whole} AS DECIMAL(38,0)) * CAST('{_unit(scale)}' AS DECIMAL({scale + 1},{scale})) AS {spark_type})"
    )


def _unit(scale: int) -> str:
    return "1" if scale == 0 else "0." + "0" * (scale - 1) + "1"
