"""The row at which a batch can't be computed: where Spark raises an error of a value, it doesn't know the row.

A batch that failed is computed again from fewer and fewer of its rows, which are as good as none until an entry commits
them. It costs some runs of a batch, when its report ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from pyspark.sql import DataFrame

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.long_lines import shown_line
from airflow_nrt.engine.sources.malformed import shortened
from airflow_nrt.engine.sources.place import BLOCK, INDEX
from airflow_nrt.home.log.entries import Split
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import LINE

SECONDS = 30.0
"""No search begins another run after so long."""
Compute = Callable[[Sequence[Split], "str | None"], object]
"""Computes a batch from the rows of these splits, or those of them that meet a predicate. Raises what Spark raises."""


class FailingRow:
    """The search in the splits of one source. `read` gives their rows, with their places."""

    def __init__(self, source: Source, read: Callable[[Sequence[Split]], DataFrame], compute: Compute) -> None:
        self._source = source
        self._read = read
        self._compute = compute
        self._until = monotonic() + SECONDS

    def find(self, splits: Sequence[Split]) -> str:
        """`The row is …`, or as near to it as the time allows: `The row is in …`; empty if only all splits fail."""
        split = self._split(splits)
        if split is None or not self._fails([split], None):
            # Such as a sum that is too large from the last split on.
            return ""
        row = self._row(split)
        return f"The row is {row}" if row else f"The row is in {split.name}"

    def _split(self, splits: Sequence[Split]) -> Split | None:
        """The first split with which the splits before it can't be computed."""
        found = self._first(range(len(splits)), lambda n: self._fails(splits[: n + 1], None))
        return None if found is None else splits[found]

    def _row(self, split: Split) -> str | None:
        blocks = sorted(one[0] for one in self._read([split]).select(BLOCK).distinct().collect())
        at = self._first(range(len(blocks)), lambda n: self._fails([split], f"{BLOCK} <= {blocks[n]}"))
        if at is None:
            return None
        block = blocks[at]
        here = self._read([split]).where(f"{BLOCK} = {block}")
        (ends,) = here.selectExpr(f"min({INDEX})", f"max({INDEX})").collect()
        before = f"{BLOCK} < {block} OR {BLOCK} = {block} AND {INDEX} <="
        index = self._first(range(ends[0], ends[1] + 1), lambda n: self._fails([split], f"{before} {n}"))
        if index is None:
            return None
        place, columns = source_of(self._source.table).place, ", ".join(f"`{one}`" for one in self._source.physical)
        content = f"coalesce({shown_line()}, to_json(struct({columns})))" if columns else LINE
        shown = f"concat({place}, coalesce(concat(': ', {shortened(content)}), ''))"
        (row,) = here.where(f"{INDEX} = {index}").selectExpr(f"{shown} AS shown").collect()
        return str(row[0])

    def _first(self, numbers: range, fails: Callable[[int], bool]) -> int | None:
        """The first number with which it fails, where it does with the last one; None if there is no time for it."""
        low, high = 0, len(numbers) - 1
        while low < high:
            if monotonic() > self._until:
                return None
            middle = (low + high) // 2
            low, high = (low, middle) if fails(numbers[middle]) else (middle + 1, high)
        return numbers[low]

    def _fails(self, splits: Sequence[Split], only: str | None) -> bool:
        """Whether these rows have a value that can't be computed. Raises any other failure."""
        try:
            self._compute(splits, only)
        except Exception as failure:
            if isinstance(explained(failure), DataError):
                return True
            raise
        return False
