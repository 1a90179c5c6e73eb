"""Notices that a report is stale, and that it is fresh again, on behalf of the task that supervises it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import iso_instant, parse_instant
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_pulse
from airflow_nrt.model.zones import wall_clock
from airflow_nrt.triggers.freshness import Freshness, Notice, TableObservation
from airflow_nrt.triggers.missing_cause import missing_cause
from airflow_nrt.triggers.time_limits import within
from airflow_nrt.triggers.watch_settings import Alarm
from airflow_nrt.triggers.watcher import WATCHER
from airflow_nrt.triggers.xcoms import read_xcom, write_xcom

MISSED = "missed_windows"
"""The key of the XCom: by table the end of the newest window that is missing, as ISO text."""
_LIMIT_SECONDS = 60.0
_LOOK_SECONDS = 10.0
_MOST_NAMED = 100
_LONGEST_PAUSE = 300.0


@dataclass(frozen=True)
class _Failure:
    """A notice of a table was not delivered: the next try is `pause` seconds later, `until` by the monotonic clock."""

    why: str
    pause: float
    until: float


class FreshnessWatch:
    """Watches the windows of a home, on behalf of a task instance, if there is one.

    A notice that could not be delivered is tried again, with pauses that double up to five minutes; notices of other
    tables do not wait for it. Delivered notices are in an XCom of the task, so that another triggerer does not repeat
    them.
    """

    def __init__(self, location: str, group: str | None, alarm: Alarm, task: Any, log: Any) -> None:
        self.location = location
        self.group = group
        self.alarm = alarm
        self.task = task
        self.log = log
        self._logged: dict[str, tuple[str, int]] = {}
        self._failures: dict[str, _Failure] = {}
        self._had: dict[str, set[int]] = {}

    async def run(self, every: float = _LOOK_SECONDS) -> None:
        """Runs until it is cancelled."""
        missed, logged = await self._missed(), ""
        while True:
            try:
                report, zone, observations = await WATCHER.read(self.location, ("freshness", self.group), self._look)
                judge = Freshness(self.alarm.allowed, zone, missed)
                for notice in judge.judge(observations, now_ms()):
                    if await self._deliver(notice, report, every):
                        judge.accept(notice)
                        missed = judge.missed
                        await self._keep(missed)
                logged = ""
            except Exception as wrong:
                if str(wrong) != logged:
                    logged = str(wrong)
                    self.log.warning("%s: its freshness can't be judged or kept: %s", self.location, shortened(logged))
            await asyncio.sleep(every)

    def _look(self) -> tuple[str, str | None, list[TableObservation]]:
        return look_at_tables(Home.open(self.location, self.group))

    async def _deliver(self, notice: Notice, report: str, pause: float) -> bool:
        """Whether it was delivered now; after a first failure the next try is `pause` seconds later."""
        # The text changes while the report catches up.
        what = (notice.state, notice.window_end)
        if self._logged.get(notice.table) != what:
            self._logged[notice.table] = what
            self._had.pop(notice.table, None)
            self.log.warning("%s", notice.text)
        before = self._failures.get(notice.table)
        if before is not None and time.monotonic() < before.until:
            return False
        try:
            await self._ring(notice, report)
        except Exception as wrong:
            why = str(wrong) or type(wrong).__name__
            if before is None or before.why != why:
                self.log.warning("a notice about %s is not delivered yet: %s", notice.table, shortened(why))
            wait = pause if before is None else min(2 * before.pause, _LONGEST_PAUSE)
            self._failures[notice.table] = _Failure(why, wait, time.monotonic() + wait)
            return False
        self._failures.pop(notice.table, None)
        return True

    async def _ring(self, notice: Notice, report: str) -> None:
        """Calls all callbacks that have not had this notice yet. Raises NrtError with all that they raise."""
        had = self._had.setdefault(notice.table, set())
        context = {"nrt": self._facts(notice, report), "ti": self.task}
        due = [one for one in range(len(self.alarm.callbacks)) if one not in had]
        calls = (within(_LIMIT_SECONDS, self.alarm.callbacks[one].call(context)) for one in due)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        had.update(one for one, answer in zip(due, answers) if answer is None)
        wrong = [str(answer) or type(answer).__name__ for answer in answers if answer is not None]
        if wrong:
            raise NrtError("; ".join(wrong))
        del self._had[notice.table]

    def _facts(self, notice: Notice, report: str) -> dict[str, Any]:
        return {
            "report": report,
            "home": self.location,
            "state": notice.state,
            "table": notice.table,
            "window_end": iso_instant(notice.window_end),
            "complete_until": iso_instant(notice.complete_until),
            "allowed_seconds": notice.allowed // 1000,
            "missing": [iso_instant(end) for end in islice(notice.missing, _MOST_NAMED)],
            "missing_count": notice.missing_count,
            "missing_since": iso_instant(notice.missing_since),
            "cause": notice.cause,
            "text": notice.text,
        }

    async def _missed(self) -> dict[str, int]:
        if self.task is None:
            return {}
        try:
            kept = await read_xcom(self.task, MISSED, _LIMIT_SECONDS)
            return {table: parse_instant(end) for table, end in (kept or {}).items()}
        except Exception as wrong:
            self.log.warning("the XCom %r can't be read: %r", MISSED, wrong)
            return {}

    async def _keep(self, missed: Mapping[str, int]) -> None:
        if self.task is None:
            return
        shown = {table: iso_instant(end) for table, end in missed.items()}
        await write_xcom(self.task, MISSED, shown, _LIMIT_SECONDS)


def look_at_tables(home: Home) -> tuple[str, str | None, list[TableObservation]]:
    """The report, the zone of its clock, and its tables that have windows, as its driver has published them.

    Raises HomeError if the home can't be read.
    """
    pulse = read_pulse(home)
    since = wall_clock(home.identity().created, home.zone)
    observations = [
        TableObservation(one.table, one.grid, one.published, since, missing_cause(pulse, one))
        for one in pulse.tables
        if one.grid is not None
    ]
    return pulse.report, home.zone, observations
