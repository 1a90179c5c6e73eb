"""Whether the windows of a report are published in time. It reads no clock and no file: the caller passes both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.instants import format_instant, format_reached
from airflow_nrt.model.windows import Grid
from airflow_nrt.model.zones import wall_clock_passed

STALE, FRESH = "stale", "fresh"


@dataclass(frozen=True)
class TableObservation:
    """One look at a table: its windows end on the `grid`, and those up to `complete_until` are published.

    `since` is the time of the report's clock before which no window is expected; all times are of that clock. `cause`
    says why newer ones are missing, if they are.
    """

    table: str
    grid: Grid
    complete_until: int | None
    since: int
    cause: str = ""


@dataclass(frozen=True)
class Notice:
    """A table is `stale` because its window `window_end` is missing, or `fresh` again after that one was.

    `window_end` is the newest of the `missing` windows, which end on the `grid` from `first_end` on. `cause` is as in
    `TableObservation`.
    """

    state: str
    table: str
    window_end: int
    complete_until: int | None
    allowed: int
    grid: Grid | None = None
    first_end: int | None = None
    cause: str = ""

    @property
    def missing(self) -> Iterator[int]:
        """The ends of the windows that are missing, the oldest first; none if it is fresh again."""
        grid, first = self.grid, self.first_end
        return iter(()) if grid is None or first is None else grid.between(first, self.window_end)

    @property
    def missing_count(self) -> int:
        grid, first = self.grid, self.first_end
        return 0 if grid is None or first is None else grid.steps(first, self.window_end) + 1

    @property
    def missing_since(self) -> int | None:
        """When the oldest of them was due."""
        return None if self.first_end is None else self.first_end + self.allowed

    @property
    def text(self) -> str:
        end, reached = format_instant(self.window_end), format_reached(self.complete_until)
        if self.state == FRESH:
            return f"{self.table} is fresh again: the window that ends at {end} is published, complete up to {reached}"
        return (
            f"{self.table} is stale: the window that ends at {end} is not published {format_duration(self.allowed)} "
            f"after its end, complete up to {reached}{self._more}"
        )

    @property
    def _more(self) -> str:
        count = self.missing_count
        since = f"; {count} windows are missing since {format_instant(self.missing_since)}" if count > 1 else ""
        return since + (f"; {self.cause}" if self.cause else "")


class Freshness:
    """Judges successive looks at the tables of a report.

    A window has `allowed` ms after its end, by the clocks of `zone` (None: UTC): an hour that is shown twice in autumn
    counts after its second time. `missed` is the newest window that was found missing before, by table.
    """

    def __init__(self, allowed: int, zone: str | None, missed: Mapping[str, int] | None = None) -> None:
        self.allowed = allowed
        self.zone = zone
        self.missed = dict(missed or {})

    def judge(self, observations: Iterable[TableObservation], now: int) -> list[Notice]:
        """The changes at the instant `now` (ms): a newer window is missing, or none is missing any more."""
        last = wall_clock_passed(now - self.allowed - 1, self.zone) + 1
        return [notice for observation in observations if (notice := self._judge(observation, last)) is not None]

    def accept(self, notice: Notice) -> None:
        """Marks a notice as delivered, so that it is not repeated."""
        if notice.state == STALE:
            self.missed[notice.table] = notice.window_end
        else:
            self.missed.pop(notice.table, None)

    def _judge(self, observation: TableObservation, last: int) -> Notice | None:
        """`last` is the end that a window must have reached in time."""
        reached = observation.complete_until
        due = observation.grid.at_or_before(last)
        missed = self.missed.get(observation.table)
        published = observation.since if reached is None else reached
        if due > published:
            if missed is not None and due <= missed:
                return None
            grid, cause = observation.grid, observation.cause
            return Notice(STALE, observation.table, due, reached, self.allowed, grid, grid.after(published), cause)
        return None if missed is None else Notice(FRESH, observation.table, missed, reached, self.allowed)
