"""Partials of a window operator: their columns, how rows become partials, how partials of a group are merged.

    k0, k1, …     the keys
    _nrt_slice    bigint   the slice (its end, ms) in which the partial counts, NULL where it counts in no window
    _nrt_from     bigint   HOP only: the first window (its end) in which it counts; it closes with that window
    _nrt_start    bigint   SESSION only: the start of its session, as far as known; `_nrt_slice` is the end
    _nrt_seen     bigint   SESSION only: the watermark at the beginning of its batch
    _nrt_life     bigint   OVER only, where keys expire: the key's generation, the watermark at which that began
    _nrt_stays    bigint   and the watermark at which the key expires; NULL in rows that it does not include yet
    x0, x1, …              the value of each distinct set, NULL where it is not counted
    …                      the accumulators of the other aggregates
    _nrt_late     string   a late row as JSON, for the ledger; NULL for rows in time

A late row of TUMBLE and CUMULATE counts from its first window that is not complete, as if it were in the last slice of
that window. A late row of HOP keeps its slice, so that it does not count in windows without that slice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.spark.paths import bare_file
from airflow_nrt.engine.state.columns import EXPIRES, GENERATION, LATE, SLICE
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.internal_columns import SEEN
from airflow_nrt.model.operators import Regroup, WindowAggregate
from airflow_nrt.model.windows import Sql, Window


@dataclass(frozen=True)
class DistinctSet:
    """A set of distinct values: their column in partials, and the accumulators over them."""

    column: str
    accumulators: tuple[Accumulator, ...]


class Slices(ABC):
    """How windows of one kind share slices, and what follows from that for their partials."""

    slots: ClassVar[tuple[str, ...]] = (SLICE,)
    """The columns that say where a partial counts. It closes when windows up to the last of them fire."""
    placed: ClassVar[Mapping[str, str]] = {SLICE: "_nrt_counted"}
    """SQL of each slot, of the slice `_nrt_own` of a row and the first window `_nrt_counted` that it counts in."""
    shared: ClassVar[bool] = True
    """Whether a slice can be in several windows."""
    counts_when_closing: ClassVar[bool] = True
    """Whether distinct values are counted when their slice closes. Else they leave windows, and are counted then."""

    @abstractmethod
    def first_window(self, window: Window, partial: Row) -> int:
        """The end (ms) of the first window that a stored partial counts in."""

    @abstractmethod
    def outlasts(self, window: Window, until: int) -> str:
        """SQL: which partials are written for later windows, when those up to `until` fire and they close."""

    @abstractmethod
    def leaves_out(self, window: Window, files: Iterable[StateFile], after: int, until: int, written: bool) -> bool:
        """Whether partials of these files close in (after, until] and `outlasts` leaves them out.

        `written` says whether some were written.
        """

    @abstractmethod
    def fire(self, layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
        """Merged accumulators of all windows with `after < end <= until`: the keys, `_nrt_end`, all accumulators.

        `closed` are the closed partials of all slices in these windows, at most one for each key and slot. `rows` are
        partials of rows, where distinct values are counted now.
        """

    @abstractmethod
    def merged(self, layout: Layout, closed: DataFrame) -> DataFrame:
        """Fewer closed partials that stand for these."""


@dataclass(frozen=True)
class Layout:
    """The columns of an operator's partials.

    `values` are the names and the SQL of the columns of distinct sets. `row_accumulators` are merged over all rows,
    those of `sets` over distinct values. `results` is SQL of each aggregate's result over the accumulators.
    """

    operator: WindowAggregate | Regroup
    slices: Slices
    keys: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    row_accumulators: tuple[Accumulator, ...]
    sets: tuple[DistinctSet, ...]
    results: tuple[tuple[str, str], ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """The columns that say where a partial counts."""
        return self.slices.slots

    @property
    def closed_accumulators(self) -> tuple[Accumulator, ...]:
        """The accumulators of a closed partial."""
        return self.all_accumulators if self.slices.counts_when_closing else self.row_accumulators

    @property
    def closes(self) -> str:
        """The slot by which a partial closes: it does when windows up to this end fire."""
        return self.slots[-1]

    @property
    def generation(self) -> tuple[str, ...]:
        """Where keys expire, the column with the generation of a key: only rows of one generation see each other."""
        return (GENERATION,) if isinstance(self.operator, WindowAggregate) and self.operator.forgets else ()

    @property
    def stored(self) -> tuple[str, ...]:
        """Further stored columns of a partial."""
        if self.generation:
            return (*self.generation, EXPIRES)
        return (SEEN,) if self.operator.window.bounded_by_rows else ()

    @property
    def all_accumulators(self) -> tuple[Accumulator, ...]:
        return (*self.row_accumulators, *(one for group in self.sets for one in group.accumulators))

    @property
    def needs_position(self) -> bool:
        """Whether results depend on the places of rows on arrival."""
        operator = self.operator
        ordered = any(call.order_sensitive for call in operator.aggregates)
        return ordered or (isinstance(operator, WindowAggregate) and operator.keeps_rows)

    @property
    def needs_python(self) -> bool:
        """Whether the user's functions merge partials, which is slow for each group."""
        return any(call.python is not None for call in self.operator.aggregates)


def lift(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query to partials of one row each. `_nrt_seen` decides which are late."""
    values = [f"{sql} AS {name}" for name, sql in layout.values]
    accumulators = [one.lifted for one in layout.row_accumulators]
    lifted = _placed(layout, rows).selectExpr(*layout.keys, *_slots(layout), *values, *accumulators, _late(layout))
    return lifted if layout.sets else combine(layout, lifted, (LATE,))


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with their slots and `_nrt_late`. Rows in a gap of HOP are left out."""
    return _placed(layout, rows).selectExpr("*", *_slots(layout), _late(layout))


def _placed(layout: Layout, rows: DataFrame) -> DataFrame:
    """The rows with their slice, its first and last window, and the first window in which they count."""
    window = layout.operator.window
    slice_end = window.slice_end(Sql("_nrt_ts"))
    counted = rows.selectExpr(
        "*",
        f"{slice_end} AS _nrt_own",
        f"{window.first_end(slice_end)} AS _nrt_first",
        f"{window.last_end(slice_end)} AS _nrt_last",
        f"{window.counted_from(slice_end, Sql('_nrt_seen'))} AS _nrt_counted",
    )
    return counted.where("_nrt_first <= _nrt_last") if window.has_gaps else counted


def _slots(layout: Layout) -> list[str]:
    placed = layout.slices.placed
    return [f"IF(_nrt_counted <= _nrt_last, {placed[slot]}, NULL) AS {slot}" for slot in layout.slots]


def _late(layout: Layout) -> str:
    """SQL of the late row for the ledger: the row, its place, and the windows that it missed."""
    missed = f"least(_nrt_counted - {layout.operator.window.stride}L, _nrt_last)"
    words = late_words("_nrt_first", missed, "_nrt_counted > _nrt_last")
    return f"IF(_nrt_counted > _nrt_first, {words}, NULL) AS {LATE}"


def late_words(missed_from: str, missed_until: str, dropped: str) -> str:
    """SQL of the ledger's JSON of a row of an input query."""
    return (
        f"to_json(struct(_nrt_row AS row, {bare_file('_nrt_pos.path')} AS file, _nrt_pos.block AS block, "
        "_nrt_pos.row AS position, _nrt_ts AS rowtime, _nrt_seen AS watermark, "
        f"{missed_from} AS missed_from, {missed_until} AS missed_until, {dropped} AS dropped))"
    )


def combine(layout: Layout, partials: DataFrame, more: Sequence[str] = ()) -> DataFrame:
    """The partials merged to one for each key, slot and distinct values (and `more` columns)."""
    by = [*layout.keys, *layout.slots, *layout.stored, *(name for name, _ in layout.values), *more]
    return aggregate(partials, by, layout.row_accumulators)


def aggregate(partials: DataFrame, by: Sequence[str], columns: Sequence[Accumulator]) -> DataFrame:
    """GROUP BY with merged accumulators, after the columns of the group."""
    if not columns:
        return partials.select(*by).distinct()
    return partials.groupBy(*by).agg(*(F.expr(one.merged()) for one in columns))


def padded(layout: Layout, by: Sequence[str], part: DataFrame) -> DataFrame:
    """The part with the columns of its group, and NULL in the accumulators that it does not have."""
    have = set(part.columns)
    columns = [
        one.name if one.name in have else f"CAST(NULL AS {one.type}) AS {one.name}" for one in layout.all_accumulators
    ]
    return part.selectExpr(*by, *columns)
