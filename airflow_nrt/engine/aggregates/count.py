"""COUNT."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall


def counter(operand: Operand) -> Accumulator:
    """The number of values.

    >>> from airflow_nrt.basics.types import DataType
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", DataType("INT"))
    >>> print(counter(operand).lifted)
    CAST(IF(price IS NOT NULL, 1, 0) AS BIGINT) AS n_price
    """
    return Accumulator(f"n_{operand.tag}", f"IF({operand.counts}, 1, 0)", "BIGINT")


def count(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""COUNT of values, or of all rows.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "COUNT", "price", kind, None, False, DataType("BIGINT"), "COUNT(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> made = count(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(IF(price IS NOT NULL, 1, 0) AS BIGINT) AS n_price
    coalesce(n_price, 0L)
    """
    number = counter(operand)
    counts_all = call.argument is None and call.filter is None
    return Accumulators((number,), f"coalesce({number.name}, 0L)", row_count=number if counts_all else None)
