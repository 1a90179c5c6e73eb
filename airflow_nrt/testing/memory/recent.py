"""Updating operators over time in memory: rows that come and go with the watermark, and rows that wait for the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from airflow_nrt.home.log.position.state_kinds import RowsByTime
from airflow_nrt.model.updating import RecentRows, RowsAtEnd
from airflow_nrt.testing.memory.rows import Change, Row, changed, difference
from airflow_nrt.testing.memory.updating import Files, Held, UpdatingMemory


class Recent(UpdatingMemory[RecentRows]):
    """The rows that are at most `span` older than the watermark. Those of a batch are one file, which stays as long as
    one of them does."""

    def absorb(self, held: Held, changes: Sequence[Change]) -> tuple[Files, list[Change] | None]:
        oldest = None if held.moment is None else held.moment - self.operator.span
        kept = [row for _, row in changes if oldest is None or row.at >= oldest]
        there = [("+", row) for row in self._at(held.moment, kept)]
        times = [row.at for row in kept]
        if not kept:
            return held.files, there
        return (*held.files, held.store.write(self.operator.name, kept, min(times), max(times))), there

    def moved(self, held: Held, to: int) -> tuple[Files, list[Change]] | None:
        was, span, files = held.moment, self.operator.span, RowsByTime(held.files)
        come_or_go = [(to - span, to)] if was is None else [(was - span, to - span - 1), (was + 1, to)]
        if not files.within(come_or_go).files:
            return None
        return files.since(to - span).files, difference(self._at(was, held.rows), self._at(to, held.rows))

    def _at(self, moment: int | None, rows: Iterable[Row]) -> list[Row]:
        """Those of these rows that are in the result at a watermark (ms)."""
        return [] if moment is None else [row for row in rows if moment - self.operator.span <= row.at <= moment]


class AtEnd(UpdatingMemory[RowsAtEnd]):
    """All rows, once there are no more."""

    def absorb(self, held: Held, changes: Sequence[Change]) -> tuple[Files, list[Change] | None]:
        if not changes:
            return held.files, None
        return (held.store.write(self.operator.name, changed(held.rows, changes)),), None

    def ended(self, held: Held) -> list[Change] | None:
        return [("+", row) for row in held.rows] if held.files else None
