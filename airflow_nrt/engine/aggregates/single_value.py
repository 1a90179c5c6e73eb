"""SINGLE_VALUE: the value of the only row; a window with more rows is an error."""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.engine.aggregates.count import counter
from airflow_nrt.engine.aggregates.extremes import greatest, least
from airflow_nrt.model.operators import AggregateCall


def single_value(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""With DISTINCT, equal rows count as one, also NULLs.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "SINGLE_VALUE", "price", kind, None, False, kind, "SINGLE_VALUE(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> made = single_value(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(price AS INT) AS min_price
    CAST(price AS INT) AS max_price
    CAST(IF(true, 1, 0) AS BIGINT) AS r_price
    CAST(IF(price IS NOT NULL, 1, 0) AS BIGINT) AS n_price
    CASE WHEN r_price <= 1 THEN min_price ELSE raise_error(concat('SINGLE_VALUE(price) has more than one row ',
    {place})) END
    """
    low, high = least(call, operand).columns[0], greatest(call, operand).columns[0]
    rows = Accumulator(f"r_{operand.tag}", f"IF({operand.admits}, 1, 0)", "BIGINT")
    values = counter(operand)
    alike = f"{low.name} <=> {high.name} AND {values.name} IN (0, {rows.name})"
    single = alike if call.distinct else f"{rows.name} <= 1"
    message = string_literal(f"{call.text} has more than one row ")
    result = f"CASE WHEN {single} THEN {low.name} ELSE raise_error(concat({message}, {{place}})) END"
    return Accumulators((low, high, rows, values), result, additive=False)
