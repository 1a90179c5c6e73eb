"""The processing times at which windows fire, as functions of the session: PROCTIME() above windows calls them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import SparkSession

from airflow_nrt.basics.spelling import bigint, string_literal
from airflow_nrt.model.internal_columns import firing_clock

_BLOCK = 128
Firings = Sequence[tuple[int, int]]
"""By firing, in their order: the end up to which windows fired, and the processing time (ms)."""


def fires_at(spark: SparkSession, operator: str, clock: int | None) -> None:
    """All windows of the operator fire at this processing time (ms); None if no stream fired them."""
    _define(spark, operator, bigint(clock))


def fired_at(spark: SparkSession, operator: str, firings: Firings) -> None:
    """The windows of the operator have fired in these firings."""
    until = dict(firings)
    ends, clocks = _array(until), _array(until.values())
    lasts = _array([*until][_BLOCK - 1 :: _BLOCK])
    # Two steps, because each looks at all of its elements.
    block = f"size(filter({lasts}, one -> one < window_end)) * {_BLOCK}"
    inside = f"size(filter(slice({ends}, {block} + 1, {_BLOCK}), one -> one < window_end))"
    _define(spark, operator, f"get({clocks}, {block} + {inside})")


def _array(values: Iterable[int]) -> str:
    """SQL of an array of numbers, as one literal that is fast to parse.

    >>> print(_array([60000, 120000]))
    CAST(filter(split('60000,120000', ','), one -> one <> '') AS ARRAY<BIGINT>)
    """
    listed = ",".join(map(str, values))
    return f"CAST(filter(split({string_literal(listed)}, ','), one -> one <> '') AS ARRAY<BIGINT>)"


def _define(spark: SparkSession, operator: str, body: str) -> None:
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY FUNCTION {firing_clock(operator)}(window_end BIGINT) RETURNS BIGINT RETURN {body}"
    )
