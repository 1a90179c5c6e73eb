"""STDDEV and VAR, from the count, the sum and the sum of squares.

For exact types both sums are exact, so that the result does not depend on the order of rows: n * Σx² − (Σx)² is one
whole number, and is rounded once. For DOUBLE they are floating sums. For distinct DOUBLEs the values themselves are
kept. Flink's result type is that of the operand: of an integer an integer, truncated.
"""

from __future__ import annotations

from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.engine.aggregates.count import counter
from airflow_nrt.engine.aggregates.multiset import counted
from airflow_nrt.engine.aggregates.total import sum_parts, unscaled, wide_parts
from airflow_nrt.model.operators import AggregateCall
from airflow_nrt.model.wide_sums import LOW_DIGITS, exact_total, rough_total

Parts = tuple[tuple[Accumulator, ...], str, str]
"""Accumulators, and SQL of the count n and of the spread n * Σx² − (Σx)² over them."""


def variance(call: AggregateCall, operand: Operand) -> Accumulators:
    r"""STDDEV and VAR, of a population or of a sample.

    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "VAR_POP", "price", kind, None, False, kind, "VAR_POP(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> made = variance(call, operand)
    >>> print(*(one.lifted for one in made.columns), made.result, sep="\n")
    CAST(CAST(price AS BIGINT) AS BIGINT) AS s_price
    CAST((CAST(CAST(price AS BIGINT) AS DECIMAL(19,0)) * CAST(CAST(price AS BIGINT) AS DECIMAL(19,0))) AS DECIMAL(38,0))
    AS q_price
    CAST(IF(price IS NOT NULL, 1, 0) AS BIGINT) AS n_price
    CASE WHEN n_price > 0 THEN CAST(greatest(((coalesce(CAST(try_subtract(try_multiply(q_price, CAST(n_price AS
    DECIMAL(20,0))), try_multiply(CAST(s_price AS DECIMAL(38,0)), CAST(s_price AS DECIMAL(38,0)))) AS DOUBLE),
    CAST(q_price AS DOUBLE) * n_price - CAST(CAST(s_price AS DECIMAL(38,0)) AS DOUBLE) * CAST(CAST(s_price AS
    DECIMAL(38,0)) AS DOUBLE))) / 1D), 0D) / (CAST(n_price AS DOUBLE) * n_price) AS INT) END
    """
    kind = operand.type
    assert kind is not None
    make = _exact if kind.is_whole else _of_values if call.distinct else _floating
    columns, n, spread = make(operand, kind)
    sample = call.function.endswith("_SAMP")
    divisor = f"(CAST({n} AS DOUBLE) * ({n} - 1))" if sample else f"(CAST({n} AS DOUBLE) * {n})"
    value = f"greatest({spread}, 0D) / {divisor}"
    if call.function.startswith("STDDEV"):
        value = f"sqrt({value})"
    result = f"CASE WHEN {n} > {1 if sample else 0} THEN CAST({value} AS {call.type.spark}) END"
    return Accumulators(columns, result, additive=kind.is_whole or not call.distinct)


def _exact(operand: Operand, kind: DataType) -> Parts:
    """The spread as one whole number; if that has more than 38 digits, from the sums as DOUBLE."""
    number, (parts, total) = counter(operand), sum_parts(operand)
    n = number.name
    whole = f"CAST({unscaled(operand.value, kind)} AS DECIMAL(19,0))"
    square, s = f"({whole} * {whole})", f"CAST({total} AS DECIMAL(38,0))"
    squares: tuple[Accumulator, ...] = (Accumulator(f"q_{operand.tag}", square, "DECIMAL(38,0)"),)
    q = rough_q = squares[0].name
    if 2 * kind.digits > LOW_DIGITS:
        squares = low, high = wide_parts("q", operand, square, 0)
        q, rough_q = exact_total(low.name, high.name, 0), rough_total(low.name, high.name, 0)
    exact = f"try_subtract(try_multiply({q}, CAST({n} AS DECIMAL(20,0))), try_multiply({s}, {s}))"
    rough = f"CAST({rough_q} AS DOUBLE) * {n} - CAST({s} AS DOUBLE) * CAST({s} AS DOUBLE)"
    spread = f"coalesce(CAST({exact} AS DOUBLE), {rough})"
    scale = kind.scale or 0 if kind.name == "DECIMAL" else 0
    return (*parts, *squares, number), n, f"(({spread}) / {10 ** (2 * scale)}D)"


def _floating(operand: Operand, kind: DataType) -> Parts:
    """The spread of floating sums.

    >>> price = Operand("price", "price", "price IS NOT NULL", "true", DataType("DOUBLE"))
    >>> print(_floating(price, DataType("DOUBLE"))[2])
    IF(abs((fq_price * n_price) - fs_price * fs_price) <= 1e-12D * (fq_price * n_price), 0D, ((fq_price * n_price) -
    fs_price * fs_price))
    """
    value = f"CAST({operand.value} AS DOUBLE)"
    number = counter(operand)
    total = Accumulator(f"fs_{operand.tag}", value, "DOUBLE")
    squares = Accumulator(f"fq_{operand.tag}", f"({value} * {value})", "DOUBLE")
    scaled = f"({squares.name} * {number.name})"
    spread = f"({scaled} - {total.name} * {total.name})"
    # A smaller spread is rounding, which depends on the order of additions: equal values have a spread of 0.
    spread = f"IF(abs{spread} <= 1e-12D * {scaled}, 0D, {spread})"
    return (total, squares, number), number.name, spread


def _of_values(operand: Operand, kind: DataType) -> Parts:
    """From the distinct values in order, by Welford's method, as in Flink.

    >>> price = Operand("price", "price", "price IS NOT NULL", "true", DataType("DOUBLE"))
    >>> print(_of_values(price, DataType("DOUBLE"))[2])
    (aggregate(transform(set_price, x -> CAST(x.value AS DOUBLE)), struct(0L AS n, 0D AS mean, 0D AS squares), (s, v) ->
    struct(s.n + 1 AS n, s.mean + (v - s.mean) / (s.n + 1) AS mean, s.squares + (v - s.mean) * (v - (s.mean + (v -
    s.mean) / (s.n + 1))) AS squares)).squares * size(set_price))
    """
    one = counted(operand)
    mean = "s.mean + (v - s.mean) / (s.n + 1)"
    step = f"struct(s.n + 1 AS n, {mean} AS mean, s.squares + (v - s.mean) * (v - ({mean})) AS squares)"
    start = "struct(0L AS n, 0D AS mean, 0D AS squares)"
    values = f"transform({one.name}, x -> CAST(x.value AS DOUBLE))"
    n = f"size({one.name})"
    return (one,), n, f"(aggregate({values}, {start}, (s, v) -> {step}).squares * {n})"
