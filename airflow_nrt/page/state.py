"""The state of a report, from the end of its log and the last heartbeat: at once, without waiting for certainty."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import LAST_MINUTE
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.heartbeat import FAILED, RUNNING, STARTING, Heartbeat, now_ms
from airflow_nrt.home.launch_failure import failed_start
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.status import STALE_MS
from airflow_nrt.home.table_progress import TableProgress, TablesProgress, newest_complete
from airflow_nrt.launch.living import is_beginning
from airflow_nrt.launch.processes import driver_process
from airflow_nrt.model.zones import wall_clock
from airflow_nrt.page.homes.places import Place
from airflow_nrt.page.homes.reader import Kept, Reader, Tail
from airflow_nrt.page.times import clock_text, instant_text

NONE, LOST, UNREACHABLE = "none", "lost", "unreachable"
LIVING = (RUNNING, STARTING, LOST)
"""States in which a driver may exist that can be asked to stop."""
_DISTANCES = 3
"""After so many distances between batches without one, no rows come."""
_MOST_LETTERS = 2000
_MOST_NAME = 200
_MOST_PATH = 1000


@dataclass(frozen=True)
class State:
    """The state of one home at one time. `why` is what is wrong, or None. `unread_files` came into closed
    directories."""

    place: Place
    name: str
    state: str
    why: str | None
    kept: Kept | None = None
    tail: Tail = field(default_factory=Tail)
    beat: Heartbeat | None = None
    now: int = 0
    progress: TablesProgress = field(default_factory=TablesProgress)
    unread_files: int = 0

    @property
    def zone(self) -> str | None:
        return self.kept.zone if self.kept is not None else None

    @property
    def clock(self) -> int:
        """The current time of the report's clock (ms)."""
        return wall_clock(self.now, self.zone)

    @property
    def watermark(self) -> int | None:
        marks = (state.watermark for state in self.tail.position.operators.values())
        mark = min((one for one in marks if one is not None), default=None)
        return mark if mark is not None and mark < LAST_MINUTE else None

    @property
    def latest_end(self) -> int | None:
        """The end of the newest complete window that all tables have; after the end of the input, of the newest
        published window."""
        complete = newest_complete(self.progress.published)
        if self.progress.waiting or (complete is not None and complete < LAST_MINUTE):
            return _before_end(complete)
        published = (one.end for entry in self.tail.entries for one in entry.published)
        return max((end for end in published if end is not None and end < LAST_MINUTE), default=None)

    @property
    def rows_per_second(self) -> float | None:
        """The rows of the last batches, divided by the time since the first of them; None while nothing runs.

        Zero if no batch has come for a minute, and for some times as long as the last ones are apart.
        """
        commits = self.tail.commits
        if self.state != RUNNING or len(commits) < 2:
            return None
        newest, oldest = commits[0][0].time, commits[-1][0].time
        apart = (newest - oldest) / (len(commits) - 1)
        if self.now - newest > max(MINUTE, _DISTANCES * apart):
            return 0.0
        rows = sum(commit.rows for _, commit in commits[:-1])
        return rows / max((self.now - oldest) / 1000, 1.0)

    def to_json(self) -> dict[str, Any]:
        position, tail = self.tail.position, self.tail
        known = self.kept is not None
        watermark, latest = self.watermark, self.latest_end
        sources = position.sources.values()
        return {
            "id": self.place.id,
            "name": self.name,
            "home_label": shortened(self.place.name, _MOST_NAME),
            "home": shortened(str(self.place.path), _MOST_PATH),
            "root_label": shortened(self.place.root.label, _MOST_NAME),
            "state": self.state,
            "why": self.why,
            "zone": (self.zone or "UTC") if known else None,
            "watermark": clock_text(watermark),
            "lag_seconds": None if watermark is None else _seconds(self.clock - watermark),
            "rows_per_second": self.rows_per_second,
            "windows": self.progress.published.windows if known else None,
            "decided_windows": position.windows if known else None,
            "decided_until": clock_text(_before_end(newest_complete(position))),
            "tables": [_table(one) for one in self.progress.tables],
            "rows": sum(one.rows for one in sources) if known else None,
            "late_rows": position.late if known else None,
            "rejected_rows": sum(one.rejected for one in sources) if known else None,
            "null_fields": sum(one.null_fields for one in sources) if known else None,
            "unread_files": self.unread_files if known else None,
            "restarts": max(tail.epoch - 1, 0) if known else None,
            "epoch": tail.epoch if known else None,
            "latest_window_end": clock_text(latest),
            "freshness_seconds": None if latest is None else _seconds(self.clock - latest),
            "last_entry_at": instant_text(tail.entries[0].time) if tail.entries else None,
        }


def unreachable(reader: Reader, why: str, now: int) -> State:
    name = shortened(reader.place.path.name, _MOST_NAME)
    return State(reader.place, name, UNREACHABLE, shortened(why, _MOST_LETTERS), now=now)


def state_of(reader: Reader, now: int | None = None) -> State:
    """Raises nothing: the state of a home that can't be read says so."""
    at = now_ms() if now is None else now
    try:
        kept, tail, beat = reader.kept(), reader.tail(), reader.heartbeat()
        progress, unread = reader.progress(beat), reader.unread_files()
    except HomeError as wrong:
        return unreachable(reader, str(wrong), at)
    state, why = _judge(tail, beat, at)
    if state not in (RUNNING, STARTING) and is_beginning(reader.home):
        state, why = STARTING, None
    failed = failed_start(reader.home, beat)
    if failed is not None:
        state, why = FAILED, shortened(f"the last start failed: {failed}", _MOST_LETTERS)
    name = shortened(kept.identity.name, _MOST_NAME)
    return State(reader.place, name, state, why, kept, tail, beat, at, progress, unread)


def _judge(tail: Tail, beat: Heartbeat | None, now: int) -> tuple[str, str | None]:
    if tail.epoch > (beat.epoch if beat is not None else 0):
        began = next((one.time for one in tail.entries if isinstance(one.body, Lease)), 0)
        if now - began < STALE_MS:
            return STARTING, None
        return LOST, f"the driver of epoch {tail.epoch} took the home, and gave no sign of life since"
    if beat is None:
        return NONE, None
    if beat.is_over:
        return beat.state, shortened(beat.error, _MOST_LETTERS) if beat.error else None
    where = f"the driver of epoch {beat.epoch}, process {beat.pid} on {beat.host},"
    if beat.age(now) >= STALE_MS:
        return LOST, f"{where} has been silent for {_seconds(beat.age(now)):.0f} s"
    if driver_process(beat).is_gone():
        return LOST, f"{where} is gone"
    return beat.state, shortened(beat.error, _MOST_LETTERS) if beat.error else None


def _before_end(end: int | None) -> int | None:
    """None after the end of the input, which is no time."""
    return end if end is not None and end < LAST_MINUTE else None


def _table(one: TableProgress) -> dict[str, Any]:
    return {
        "name": shortened(one.table, _MOST_NAME),
        "decided": clock_text(_before_end(one.decided)),
        "published": clock_text(_before_end(one.published)),
        "waits": one.waits,
    }


def _seconds(ms: int) -> float:
    return round(ms / 1000, 3)
