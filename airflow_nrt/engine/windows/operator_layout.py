"""What the partials of a window operator are made of: their columns, and when they count, close and leave."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import DataFrame, Row

from airflow_nrt.engine.aggregates.accumulator_layout import AccumulatorLayout
from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.state.state_columns import EXPIRES, GENERATION, SLICE
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.internal_columns import SEEN
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.windows import Window


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
    def leaves_out(self, window: Window, rows: Partials, after: int, until: int, written: bool) -> bool:
        """Whether some of these partials close in (after, until] and `outlasts` leaves them out.

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
    """The columns of an operator's partials: keys, slots and accumulators."""

    operator: WindowAggregate
    slices: Slices
    keys: tuple[str, ...]
    accumulators: AccumulatorLayout

    @property
    def slots(self) -> tuple[str, ...]:
        """The columns that say where a partial counts."""
        return self.slices.slots

    @property
    def closed_accumulators(self) -> tuple[Accumulator, ...]:
        """The accumulators of a closed partial."""
        return self.accumulators.all if self.slices.counts_when_closing else self.accumulators.of_rows

    @property
    def closes(self) -> str:
        """The slot by which a partial closes: it does when windows up to this end fire."""
        return self.slots[-1]

    @property
    def generation(self) -> tuple[str, ...]:
        """Where keys expire, the column with the generation of a key: only rows of one generation see each other."""
        return (GENERATION,) if self.operator.forgets else ()

    @property
    def stored(self) -> tuple[str, ...]:
        """Further stored columns of a partial."""
        if self.generation:
            return (*self.generation, EXPIRES)
        return (SEEN,) if self.operator.window.bounded_by_rows else ()

    @property
    def needs_position(self) -> bool:
        """Whether results depend on the places of rows on arrival."""
        numbered = self.operator.numbering is not None
        return numbered or self.accumulators.order_sensitive or self.operator.keeps_rows
