"""LAG, LEAD: the value of the one row of the frame, or NULL if there is none.

A default replaces both a missing row and a NULL, as in Flink 2.3.
"""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall


def neighbour(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""The value is wrapped, because it may be NULL itself: that differs from a missing row.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "LAG", "price", kind, None, False, kind, "LAG(price)", ("0",))
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> made = neighbour(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(struct(price AS value) AS STRUCT<value: INT>) AS neighbour_price
    coalesce(neighbour_price.value, 0)
    """
    kind = f"STRUCT<value: {call.type.spark}>"
    one = Accumulator(f"neighbour_{operand.tag}", f"struct({operand.value} AS value)", kind, "first({0}){over}")
    value = f"{one.name}.value"
    return Accumulators(
        (one,), f"coalesce({value}, {call.parameters[0]})" if call.parameters else value, additive=False
    )
