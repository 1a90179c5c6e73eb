"""The status of a report, from its home alone: the heartbeat, the log, the plan in its own report file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from airflow_nrt.home.heartbeat import STARTING, Heartbeat, now_ms, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import failed_start
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fold.checkpoints import state_of
from airflow_nrt.home.log.history.changed_files import changes_of
from airflow_nrt.home.log.history.provable import provable_from
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.next_generation import Rebuilding, rebuilding
from airflow_nrt.home.notes.first_windows import noted_first_windows
from airflow_nrt.home.notes.left_out import left_out_rows
from airflow_nrt.home.notes.nulled import nulled_expressions
from airflow_nrt.home.notes.unread import noted_unread
from airflow_nrt.home.notes.unusable import unusable_classes
from airflow_nrt.home.published_again import published_again
from airflow_nrt.home.set_aside import all_set_aside
from airflow_nrt.home.table_progress import TableProgress, newest_complete, tables_progress
from airflow_nrt.model.zones import wall_clock

STALE_MS = 15_000
"""A driver writes a heartbeat every second; one that is silent for this long has died, hangs, or can't reach the
home."""


@dataclass(frozen=True, kw_only=True)
class Pulse:
    """The part that changes from minute to minute. `driver` is the heartbeat's state, `starting` before the first
    heartbeat, `silent` if heartbeats stopped without an end, or `none`.

    Watermarks and window ends are milliseconds of the report's clock, which is the wall clock of `zone` (None: UTC).
    `lag` is how many milliseconds the watermark is before the time of that clock, or None without a watermark.
    `restarts` counts the drivers after the first one. `late`, `dropped` and `rejected` count rows, `files` the files
    that were read. `null_fields` counts fields that could not be parsed and are read as NULL; their rows count.

    `windows` counts the windows that are published in all tables. All windows that end up to `last_window` are.
    `decided_windows` and `decided_until` say the same of windows that the log has decided. Some of these may wait for a
    sink. `tables` has both by table. `failed_start` says why the newest launch could not begin, if no driver has begun
    since. `closed_files` counts by source the files that came into directories after these were closed, and are not
    read.
    """

    report: str
    home: str
    driver: str
    epoch: int
    entry: int
    heartbeat: Heartbeat | None
    watermark: int | None
    last_window: int | None
    windows: int
    rows: int
    files: int
    late: int
    dropped: int
    rejected: int
    null_fields: int = 0
    zone: str | None = None
    decided_windows: int = 0
    decided_until: int | None = None
    tables: tuple[TableProgress, ...] = ()
    failed_start: str | None = None
    closed_files: dict[str, int] = field(default_factory=dict)

    @property
    def error(self) -> str | None:
        """What keeps the driver from its work, or ended it; None if nothing does."""
        if self.failed_start is not None:
            return f"the last start failed: {self.failed_start}"
        return self.heartbeat.error if self.heartbeat is not None else None

    @property
    def waiting(self) -> tuple[TableProgress, ...]:
        """The tables that lack results which are decided."""
        return tuple(one for one in self.tables if one.waits)

    @property
    def lag(self) -> int | None:
        return None if self.watermark is None else wall_clock(now_ms(), self.zone) - self.watermark

    @property
    def restarts(self) -> int:
        """How many drivers followed the first one of the home, for any reason."""
        return max(self.epoch - 1, 0)


@dataclass(frozen=True, kw_only=True)
class Status(Pulse):
    """The parts that need the whole log, and the files that were read.

    `changed_files` are the last read files that have changed since, as far as this host can see them. `restated_files`
    counts others that were restated by the report that publishes them. `restatements` counts the backfills and repairs
    that restated windows. `age` is the time since the last entry was
    written (ms), or None without an entry. `unusable` are the classes in Java that the driver goes without, each with
    the reason why it does not fit its Spark. `nulled` counts the values of expressions that are NULL because they could
    not be computed, `nulled_in` by the newest windows or rows. `left_out` counts the rows that sinks could not take, by
    insert and reason. `set_aside` counts the rows that were set aside. `first_windows` are tables that were added after
    old entries were removed, each with the end of its first window (ms of the report's clock).

    Entries before `first_entry` are removed: those that were written up to `removed_until` (ms of the wall clock; None:
    none are). Late rows since then are in the ledgers, and windows that begin at or after `provable_from` (ms of the
    report's clock; None without windows) can be proven.

    `generation` is the one that counts: 1 before the report was changed. `rebuilding` is how far a changed report is.
    """

    restatements: int
    pending_files: int
    pending_bytes: int
    age: int | None
    suspects: dict[str, int]
    changed_files: list[str]
    restated_files: int = 0
    unreadable_files: int = 0
    unusable: dict[str, str] = field(default_factory=dict)
    nulled: dict[str, int] = field(default_factory=dict)
    nulled_in: dict[str, dict[str, int]] = field(default_factory=dict)
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)
    set_aside: int = 0
    first_entry: int = 0
    removed_until: int | None = None
    provable_from: int | None = None
    first_windows: dict[str, int] = field(default_factory=dict)
    generation: int = 1
    rebuilding: Rebuilding | None = None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "lag": self.lag}


def read_pulse(home: Home, now: int | None = None) -> Pulse:
    """The pulse, from the heartbeat and the last entries of the log. Raises HomeError if the home can't be read."""
    return _pulse(home, home.log(), now)


def read_status(home: Home, now: int | None = None) -> Status:
    """Raises HomeError if the home can't be read."""
    log = home.log()
    pulse = _pulse(home, log, now)
    beat = pulse.heartbeat
    unfit = unusable_classes(home, beat.epoch) if beat else None
    state = state_of(log)
    read = tuple(reversed(state.last_files))
    nulled = nulled_expressions(home)
    changes = changes_of(read)
    again = published_again((file for file in read if file.name in changes), home.group)
    return Status(
        **vars(pulse),
        restatements=state.restatements,
        pending_files=beat.pending_files if beat else 0,
        pending_bytes=beat.pending_bytes if beat else 0,
        age=None if state.time is None else (now or now_ms()) - state.time,
        suspects=state.suspects,
        changed_files=[change for name, change in changes.items() if name not in again],
        restated_files=len(again),
        unreadable_files=beat.unreadable_files if beat else 0,
        unusable=dict(unfit.reasons) if unfit else {},
        nulled={name: one.count for name, one in nulled.items()},
        nulled_in={name: dict(one.places) for name, one in nulled.items()},
        left_out={
            name: {reason: one.count for reason, one in reasons.items()}
            for name, reasons in left_out_rows(home).items()
        },
        set_aside=sum(1 for _ in all_set_aside(home)),
        first_entry=log.first,
        removed_until=None if log.floor is None else log.floor.time,
        provable_from=None if log.floor is None else provable_from(log.beginning().state.position),
        first_windows=dict(noted_first_windows(home)),
        generation=home.generation,
        rebuilding=rebuilding(home),
    )


def _pulse(home: Home, log: Log, now: int | None) -> Pulse:
    beat = read_heartbeat(home.heartbeats)
    position = log.position()
    watermarks = [state.watermark for state in position.operators.values() if state.watermark is not None]
    progress = tables_progress(home, log, home.outline(), beat)
    published = progress.published
    sources = position.sources.values()
    return Pulse(
        report=home.identity().name,
        home=str(home.path),
        driver=_driver(beat, log, now),
        epoch=log.epoch(),
        entry=log.last,
        heartbeat=beat,
        watermark=min(watermarks, default=None),
        last_window=newest_complete(published),
        windows=published.windows,
        rows=sum(source.rows for source in sources),
        files=sum(source.files for source in sources),
        late=position.late,
        dropped=position.dropped,
        rejected=sum(source.rejected for source in sources),
        null_fields=sum(source.null_fields for source in sources),
        zone=home.zone,
        decided_windows=position.windows,
        decided_until=newest_complete(position),
        tables=progress.tables,
        failed_start=failed_start(home, beat),
        closed_files={name: one.files for name, one in noted_unread(home).sources.items()},
    )


def _driver(beat: Heartbeat | None, log: Log, now: int | None) -> str:
    if log.epoch() > (beat.epoch if beat is not None else 0):
        last = log.read(log.last)
        if isinstance(last.body, Lease) and (now or now_ms()) - last.time < STALE_MS:
            return STARTING
    if beat is None:
        return "none"
    if beat.is_over or beat.age(now) < STALE_MS:
        return beat.state
    return "silent"
