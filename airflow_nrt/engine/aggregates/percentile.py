"""PERCENTILE: the value at a share of the sorted values, interpolated between the nearest two."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulators, Operand
from airflow_nrt.engine.aggregates.multiset import bound, counted, total
from airflow_nrt.model.operators import AggregateCall


def percentile(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""The operand is the value, or a ROW of the value and its frequency.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> double = DataType("DOUBLE")
    >>> call = AggregateCall("a", "PERCENTILE", "price", kind, None, False, double, "PERCENTILE(…)", ("0.5",))
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> made = percentile(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(filter(array(struct(price AS value, 1L AS n)), x -> price IS NOT NULL) AS ARRAY<STRUCT<value: INT, n: BIGINT>>)
    AS set_price
    transform(array(transform(set_price, x -> struct(x.value AS value, x.n AS n))), _nrt_m ->
    transform(array(aggregate(_nrt_m, 0L, (t, x) -> t + x.n)), _nrt_n -> IF(_nrt_n > 0,
    transform(array(aggregate(_nrt_m, struct(0L AS passed, CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high),
    (s, x) -> struct(s.passed + x.n AS passed, IF(s.low IS NULL AND s.passed + x.n > CAST(floor((0.5D * (_nrt_n - 1)))
    AS BIGINT), CAST(x.value AS DOUBLE), s.low) AS low, IF(s.high IS NULL AND s.passed + x.n > CAST(ceil((0.5D * (_nrt_n
    - 1))) AS BIGINT), CAST(x.value AS DOUBLE), s.high) AS high))), _nrt_e -> IF(CAST(floor((0.5D * (_nrt_n - 1))) AS
    BIGINT) = CAST(ceil((0.5D * (_nrt_n - 1))) AS BIGINT), _nrt_e.low, (CAST(ceil((0.5D * (_nrt_n - 1))) AS BIGINT) -
    (0.5D * (_nrt_n - 1))) * _nrt_e.low + ((0.5D * (_nrt_n - 1)) - CAST(floor((0.5D * (_nrt_n - 1))) AS BIGINT)) *
    _nrt_e.high))[0], NULL))[0])[0]
    """
    assert operand.type is not None
    one = counted(operand)
    times = "1L" if call.distinct else "x.n"
    entry = (
        f"x.value.v AS value, x.value.n * {times} AS n"
        if operand.type.name == "ROW"
        else f"x.value AS value, {times} AS n"
    )
    entries = f"transform({one.name}, x -> struct({entry}))"
    shares = [_at(share) for share in call.parameters]
    found = f"array({', '.join(shares)})" if call.type.name == "ARRAY" else shares[0]
    result = bound("_nrt_m", entries, bound("_nrt_n", total("_nrt_m"), f"IF(_nrt_n > 0, {found}, NULL)"))
    return Accumulators((one,), result, additive=False)


def _at(share: str) -> str:
    """SQL of the value at this share of the values, between two of them if need be.

    >>> print(_at("0.5D"))
    transform(array(aggregate(_nrt_m, struct(0L AS passed, CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high),
    (s, x) -> struct(s.passed + x.n AS passed, IF(s.low IS NULL AND s.passed + x.n > CAST(floor((0.5DD * (_nrt_n - 1)))
    AS BIGINT), CAST(x.value AS DOUBLE), s.low) AS low, IF(s.high IS NULL AND s.passed + x.n > CAST(ceil((0.5DD *
    (_nrt_n - 1))) AS BIGINT), CAST(x.value AS DOUBLE), s.high) AS high))), _nrt_e -> IF(CAST(floor((0.5DD * (_nrt_n -
    1))) AS BIGINT) = CAST(ceil((0.5DD * (_nrt_n - 1))) AS BIGINT), _nrt_e.low, (CAST(ceil((0.5DD * (_nrt_n - 1))) AS
    BIGINT) - (0.5DD * (_nrt_n - 1))) * _nrt_e.low + ((0.5DD * (_nrt_n - 1)) - CAST(floor((0.5DD * (_nrt_n - 1))) AS
    BIGINT)) * _nrt_e.high))[0]
    """
    place = f"({share}D * (_nrt_n - 1))"
    lower, upper = f"CAST(floor({place}) AS BIGINT)", f"CAST(ceil({place}) AS BIGINT)"
    reached = "s.passed + x.n > "
    ends = (
        "aggregate(_nrt_m, struct(0L AS passed, CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high), "
        "(s, x) -> struct(s.passed + x.n AS passed, "
        f"IF(s.low IS NULL AND {reached}{lower}, CAST(x.value AS DOUBLE), s.low) AS low, "
        f"IF(s.high IS NULL AND {reached}{upper}, CAST(x.value AS DOUBLE), s.high) AS high))"
    )
    between = f"({upper} - {place}) * _nrt_e.low + ({place} - {lower}) * _nrt_e.high"
    return bound("_nrt_e", ends, f"IF({lower} = {upper}, _nrt_e.low, {between})")
