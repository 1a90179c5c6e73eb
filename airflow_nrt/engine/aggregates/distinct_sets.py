"""What COUNT(DISTINCT x), and any other aggregate with DISTINCT, keeps: each value once.

A partial of a row has the value. Where a slice closes, `engine/windows/slice_merge.py` keeps those that are new in its
windows, and `engine/windows/hop_distinct.py` does so for HOP.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.engine.aggregates.accumulators import Accumulator


@dataclass(frozen=True)
class DistinctSet:
    """A set of distinct values: their column in partials, its SQL over the rows, and the accumulators over them."""

    column: str
    value: str
    accumulators: tuple[Accumulator, ...]
