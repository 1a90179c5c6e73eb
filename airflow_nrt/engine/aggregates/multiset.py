"""COLLECT, and other aggregates of all values regardless of order: the distinct values, sorted, with their counts.

rows b a b   and   a c        [a 1, b 2]   and   [a 1, c 1]        merged [a 2, b 2, c 1]
"""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall

_SORTED = "array_sort(flatten(collect_list({0}){over}))"
_BEGINS = "filter(transform(_nrt_s, (x, i) -> IF(get(_nrt_s, i - 1).value <=> x.value, NULL, i)), i -> i IS NOT NULL)"
_RUN = "slice(_nrt_s, b + 1, coalesce(get(_nrt_b, j + 1), size(_nrt_s)) - b)"


def bound(name: str, sql: str, body: str) -> str:
    """SQL that binds the name to the expression inside the body, so that it is computed once.

    >>> print(bound("a", "sqrt(x)", "a + a"))
    transform(array(sqrt(x)), a -> a + a)[0]
    """
    return f"transform(array({sql}), {name} -> {body})[0]"


def total(entries: str) -> str:
    """SQL of the number of values in these entries.

    >>> print(total("entries"))
    aggregate(entries, 0L, (t, x) -> t + x.n)
    """
    return f"aggregate({entries}, 0L, (t, x) -> t + x.n)"


def counted(operand: Operand) -> Accumulator:
    """The distinct values as `ARRAY<STRUCT<value, n>>`, sorted. NULLs are skipped."""
    assert operand.type is not None
    runs = f"transform(_nrt_b, (b, j) -> struct(_nrt_s[b].value AS value, {total(_RUN)} AS n))"
    return Accumulator(
        f"set_{operand.tag}",
        f"filter(array(struct({operand.value} AS value, 1L AS n)), x -> {operand.counts})",
        f"ARRAY<STRUCT<value: {operand.type.spark}, n: BIGINT>>",
        bound("_nrt_s", _SORTED, bound("_nrt_b", _BEGINS, runs)),
    )


def collect(call: AggregateCall, operand: Operand) -> Accumulators:
    """COLLECT: a map of the values and their counts.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("STRING")
    >>> call = AggregateCall("a", "COLLECT", "shop", kind, None, False, kind, "COLLECT(shop)")
    >>> operand = Operand("shop", "shop", "shop IS NOT NULL", "true", kind)
    >>> print(collect(call, operand).result)
    map_from_entries(transform(set_shop, x -> struct(x.value AS key, CAST(x.n AS INT) AS value)))
    """
    one = counted(operand)
    times = "1" if call.distinct else "CAST(x.n AS INT)"
    entries = f"transform({one.name}, x -> struct(x.value AS key, {times} AS value))"
    return Accumulators((one,), f"map_from_entries({entries})", additive=False)
