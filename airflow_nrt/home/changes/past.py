"""How far back an insert could be computed again, and what that would take: by the log, and by what is still there.

A row that came with a batch has a rowtime of at most the watermark after it and the delay of that. So all rows from a
time on came after the last batch whose watermark is below: if all pieces of these batches are there, so are the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.home.changes.facts import cone_of
from airflow_nrt.home.changes.pieces import AskServerError, UnknownError, pieces_of
from airflow_nrt.home.changes.reach import Reach
from airflow_nrt.home.changes.read_log import LogRead, Read, read_log
from airflow_nrt.home.log.log import Log
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.zones import wall_clock_passed

_MOST_WINDOWS = 100_000
"""So many windows are looked at for the first one that is whole."""


@dataclass(frozen=True)
class Left:
    """What is left of a source: all rows from `since` on (ms of the report's clock), None for all. `gone` says what is
    not there any more."""

    reads: tuple[Read, ...]
    since: int | None = None
    gone: str | None = None


class Past:
    """The past of a home whose report `made_for` becomes `plan`. Nothing is read before it is asked."""

    def __init__(self, log: Log, made_for: Plan, plan: Plan) -> None:
        self._log = log
        self._made_for = made_for
        self._plan = plan
        self._left: dict[str, Left] = {}

    def of(self, insert: Insert) -> Reach:
        """The reach of an insert of the new report. Raises HomeError if the log can't be read."""
        cone, rows = cone_of(self._plan, insert), 0
        try:
            left = {name: self._left_of(self._plan.source(name)) for name in cone.sources}
        except UnknownError as why:
            known = [sum(read.rows for read in self._read.read.get(name, ())) for name in cone.sources]
            return Reach(rows=sum(known) or None, speed=self._read.speed, open=str(why))
        gone = ", ".join(one.gone for one in left.values() if one.gone is not None) or None
        since = self._first_whole(
            insert, max((one.since for one in left.values() if one.since is not None), default=None)
        )
        if gone is not None and since is None:
            return Reach(gone=f"{gone}, and what has no windows of a bounded length needs all rows")
        for name, one in left.items():
            rows += sum(read.rows for read in one.reads if self._reaches(name, read, since))
        lost = None if gone is None else f"{gone}: what is older keeps its rows"
        return Reach(since, self._read.first.get(insert.name), rows, self._read.speed, gone=lost)

    def lacking(self, source: str) -> str | None:
        """What of the rows that a source has given can't be read again, None if all can, or if a driver will see.
        Raises HomeError."""
        try:
            return self._left_of(self._plan.source(source)).gone
        except AskServerError:
            return None
        except UnknownError as why:
            return str(why)

    @cached_property
    def _read(self) -> LogRead:
        return read_log(self._log)

    def _left_of(self, source: Source) -> Left:
        if source.name not in self._left:
            self._left[source.name] = self._find(source)
        return self._left[source.name]

    def _find(self, source: Source) -> Left:
        before = next((one for one in self._made_for.sources if one.name == source.name), None)
        if before is None:
            raise UnknownError(f"{source.name} is new to the home")
        places = [connector_of(one.table).place(one.table) for one in (before, source)]
        if places[0] != places[1]:
            raise UnknownError(f"{source.name} is at another place than before")
        reads = tuple(self._read.read.get(source.name, ()))
        lacking = pieces_of(before, reads, self._read).lacking(reads)
        if not lacking:
            return Left(reads)
        latest = self._latest(before, reads[max(lacking)])
        if latest is None:
            raise UnknownError(f"some of {source.name} is gone, and nothing says what time it was of")
        what = next(iter(lacking.values())) if len(lacking) == 1 else f"{len(lacking):,} batches of {source.name}"
        is_one = len(lacking) == 1 and what.startswith("1 ")
        return Left(reads, latest + 1, f"{what} {'is' if is_one else 'are'} gone or changed")

    def _latest(self, source: Source, read: Read) -> int | None:
        """No row of this batch, or of one before it, has a later rowtime (ms of the report's clock)."""
        if self._made_for.is_read_by_clock(source.name):
            return None if read.clock is None else wall_clock_passed(read.clock, self._made_for.zone)
        mark = source.table.watermark
        if mark is None or mark.delay is None or read.watermark is None:
            return None
        # The watermark that a row proposes may be a millisecond before it and its delay.
        return wall_clock_passed(read.watermark + mark.delay + 1, self._made_for.zones.get(source.name))

    def _reaches(self, source: str, read: Read, since: int | None) -> bool:
        """Whether rows of a batch can be of this time or later."""
        latest = None if since is None else self._latest(self._made_for.source(source), read)
        return since is None or latest is None or latest >= since

    def _first_whole(self, insert: Insert, since: int | None) -> int | None:
        """The time from which on whole windows can be computed of rows since then; None if there is none."""
        if since is None or not insert.operators:
            return since if since is None or not cone_of(self._plan, insert).operators else None
        starts = [self._start(name, since) for name in insert.operators]
        return None if None in starts else max(one for one in starts if one is not None)

    def _start(self, operator: str, since: int) -> int | None:
        return next((start for start in self._starts(operator, since) if start >= since), None)

    def _starts(self, operator: str, since: int) -> Iterator[int]:
        grid, after = self._plan.operator(operator).window.grid, since
        for _ in range(_MOST_WINDOWS):
            start = min(self._plan.first_rows(operator, after).values(), default=since)
            if start <= BEFORE_TIME:
                return
            yield start
            after = grid.after(after)
