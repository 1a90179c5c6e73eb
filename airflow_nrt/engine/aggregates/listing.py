"""LISTAGG, ARRAY_AGG and JSON_ARRAYAGG: the values in order of arrival inside a slice, slices in time order.

With DISTINCT a value is at its first place.
"""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.engine.aggregates.positions import PLACE, POSITION
from airflow_nrt.model.operators import AggregateCall


def listing(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""NULLs are skipped; an empty list is NULL.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("STRING")
    >>> call = AggregateCall("a", "LISTAGG", "shop", kind, None, False, kind, "LISTAGG(shop)")
    >>> operand = Operand("shop", "shop", "shop IS NOT NULL", "true", kind)
    >>> made = listing(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(filter(array(struct(_nrt_slice AS slice, _nrt_pos.file AS file, _nrt_pos.block AS block, _nrt_pos.row AS row,
    shop AS value)), x -> true) AS ARRAY<STRUCT<slice: BIGINT, file: BIGINT, block: BIGINT, row: BIGINT, value:
    STRING>>) AS list_shop
    CASE WHEN exists(list_shop, x -> x.value IS NOT NULL) THEN array_join(transform(array_sort(list_shop), x ->
    x.value), ',') END
    """
    separator = string_literal(call.parameters[0] if call.parameters else ",")
    one, values = in_order(call, operand)
    joined = f"array_join({values}, {separator})"
    return Accumulators((one,), f"CASE WHEN exists({one.name}, x -> x.value IS NOT NULL) THEN {joined} END", False)


def array(call: AggregateCall, operand: Operand) -> Accumulators:
    """NULLs are values; an empty array is NULL.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("STRING")
    >>> call = AggregateCall("a", "ARRAY_AGG", "shop", kind, None, False, kind, "ARRAY_AGG(shop)")
    >>> operand = Operand("shop", "shop", "shop IS NOT NULL", "true", kind)
    >>> print(array(call, operand).result)
    CASE WHEN size(list_shop) > 0 THEN transform(array_sort(list_shop), x -> x.value) END
    """
    one, values = in_order(call, operand)
    return Accumulators((one,), f"CASE WHEN size({one.name}) > 0 THEN {values} END", additive=False)


def json_array(call: AggregateCall, operand: Operand) -> Accumulators:
    """The values are JSON already; the parameter says what a NULL value becomes.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("STRING")
    >>> call = AggregateCall("a", "JSON_ARRAYAGG", "shop", kind, None, False, kind, "JSON_ARRAYAGG(shop)", ("NULL",))
    >>> operand = Operand("shop", "shop", "shop IS NOT NULL", "true", kind)
    >>> print(json_array(call, operand).result)
    concat('[', array_join(transform(array_sort(list_shop), x -> x.value), ',', 'null'), ']')
    """
    one, values = in_order(call, operand)
    null = ", 'null'" if call.parameters == ("NULL",) else ""
    return Accumulators((one,), f"concat('[', array_join({values}, ','{null}), ']')", additive=False)


def in_order(call: AggregateCall, operand: Operand) -> tuple[Accumulator, str]:
    """The accumulator of all rows with their places, which all lists of an operand share, and SQL of the values in
    order."""
    assert operand.type is not None
    one = Accumulator(
        f"list_{operand.tag}",
        f"filter(array(struct({POSITION}, {operand.value} AS value)), x -> {operand.admits})",
        f"ARRAY<{PLACE.format(operand.type.spark)}>",
        "flatten(collect_list({0}){over})",
    )
    values = f"transform(array_sort({one.name}), x -> x.value)"
    return one, f"array_distinct({values})" if call.distinct else values
