"""AVG with Flink's types: of an integer an integer, truncated; of DECIMAL(p, s) a DECIMAL(38, max(6, s))."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulators, Operand, noted_decimal
from airflow_nrt.engine.aggregates.count import counter
from airflow_nrt.engine.aggregates.total import leaving_parts, scaled, sum_parts
from airflow_nrt.model.operators import AggregateCall
from airflow_nrt.model.wide_sums import is_wide, rough_total


def average(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""AVG, from the parts of a sum and the number of values.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "AVG", "price", kind, None, False, kind, "AVG(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> made = average(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(CAST(price AS BIGINT) AS BIGINT) AS s_price
    CAST(IF(price IS NOT NULL, 1, 0) AS BIGINT) AS n_price
    CASE WHEN n_price > 0 THEN CAST((s_price) div n_price AS INT) END
    """
    kind = operand.type
    assert kind is not None
    parts, whole = leaving_parts(operand) if call.distinct else sum_parts(operand)
    number = counter(operand)
    columns = (*parts, number)
    if kind.is_integer:
        quotient = f"CAST(({whole}) div {number.name} AS {call.type.spark})"
    elif kind.is_approximate:
        quotient = f"CAST(({whole}) / {number.name} AS {call.type.spark})"
    else:
        exact = f"DECIMAL(38,{kind.scale})"
        amount = scaled(whole, kind.scale or 0, exact) if kind.is_whole else whole
        # It may have more digits than there are, as it gets some after the point.
        quotient = f"try_divide(CAST({amount} AS {exact}), CAST({number.name} AS DECIMAL(20,0)))"
        quotient = f"TRY_CAST({quotient} AS {call.type.spark})"
    has_values = f"{number.name} > 0"
    if is_wide(kind):
        low, high = (one.name for one in parts)
        computation = f"concat({rough_total(low, high, kind.scale or 0)}, ' / ', {number.name})"
        return Accumulators(columns, noted_decimal(has_values, quotient, computation, call))
    return Accumulators(columns, f"CASE WHEN {has_values} THEN {quotient} END")
