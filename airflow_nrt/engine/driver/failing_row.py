"""The row at which a batch can't be computed: where Spark raises an error of a value, it doesn't know the row.

A batch that failed is computed again from fewer and fewer of its rows, which are as good as none until an entry commits
them. It costs some runs of a batch, when its report ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from pyspark.sql import DataFrame

from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.long_lines import shown_line
from airflow_nrt.engine.sources.malformed import shortened
from airflow_nrt.engine.sources.place import BLOCK, INDEX
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import LINE

SECONDS = 30.0
"""No search begins another run after so long."""
Fails = Callable[[Sequence[Split], "str | None"], bool]
"""Whether a batch of these splits, or of their rows that meet a predicate, fails as the whole batch did."""


class _TimeIsOverError(Exception):
    pass


class FailingRow:
    """The search in the splits of one source. `read` gives their rows, with their places."""

    def __init__(self, source: Source, read: Callable[[Sequence[Split]], DataFrame], fails: Fails) -> None:
        self._source = source
        self._read = read
        self._fails_as_all = fails
        self._until = monotonic() + SECONDS

    def find(self, splits: Sequence[Split]) -> str:
        """`The row is …`, or `The row is in …` where the time allows no more; empty if no single row fails."""
        try:
            split = splits[self._first(range(len(splits)), lambda n: self._fails(splits[: n + 1]))]
        except _TimeIsOverError:
            return ""
        try:
            row = self._row(split)
        except _TimeIsOverError:
            return f"The row is in {split.name}"
        return f"The row is {row}" if row else ""

    def _row(self, split: Split) -> str | None:
        """The row with which the rows before it can't be computed; None if it can be computed alone."""
        blocks = sorted(one[0] for one in self._read([split]).select(BLOCK).distinct().collect())
        block = blocks[self._first(range(len(blocks)), lambda n: self._fails([split], f"{BLOCK} <= {blocks[n]}"))]
        here = self._read([split]).where(f"{BLOCK} = {block}")
        (ends,) = here.selectExpr(f"min({INDEX})", f"max({INDEX})").collect()
        before = f"{BLOCK} < {block} OR {BLOCK} = {block} AND {INDEX} <="
        index = self._first(range(ends[0], ends[1] + 1), lambda n: self._fails([split], f"{before} {n}"))
        if not self._fails([split], f"{BLOCK} = {block} AND {INDEX} = {index}"):
            # Such as a sum over several rows.
            return None
        place, columns = source_of(self._source.table).place, ", ".join(f"`{one}`" for one in self._source.physical)
        content = f"coalesce({shown_line()}, to_json(struct({columns})))" if columns else LINE
        shown = f"concat({place}, coalesce(concat(': ', {shortened(content)}), ''))"
        (row,) = here.where(f"{INDEX} = {index}").selectExpr(f"{shown} AS shown").collect()
        return str(row[0])

    def _first(self, numbers: range, fails: Callable[[int], bool]) -> int:
        """The first number with which it fails, where it does with the last one."""
        low, high = 0, len(numbers) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fails(numbers[middle]) else (middle + 1, high)
        return numbers[low]

    def _fails(self, splits: Sequence[Split], only: str | None = None) -> bool:
        if monotonic() > self._until:
            raise _TimeIsOverError
        return self._fails_as_all(splits, only)
