"""Waits in the triggerer until a window is complete and published."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from airflow_nrt.home.heartbeat import FAILED, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.outline import Outline
from airflow_nrt.home.table_progress import complete_until, tables_progress
from airflow_nrt.model.zones import parse_wall_clock
from airflow_nrt.triggers import EARLIEST_SECONDS
from airflow_nrt.triggers.watcher import WATCHER, Unreadable


@dataclass(frozen=True)
class WindowObservation:
    """`complete_until`: all windows that end at or before this (ms) are published. `error`: why no more will be
    published.

    `zone` is that of the report's clock, None for UTC. `waiting` says of each table that lacks decided results how far
    it is.
    """

    complete_until: int | None
    error: str | None = None
    zone: str | None = None
    waiting: tuple[str, ...] = ()

    def reaches(self, end: str) -> bool:
        """Whether windows are published up to a time of the report's clock, or an instant. Raises ValueError for an
        invalid time."""
        return self.complete_until is not None and self.complete_until >= parse_wall_clock(end, self.zone)


def look_at_windows(location: str, group: str | None = None, table: str | None = None) -> WindowObservation:
    """Reads a home, which `group` may share: the windows of all its tables, or of one.

    Raises InputError if there is no home, HomeError if it can't be read.
    """
    home = Home.open(location, group)
    outline, beat = home.outline(), read_heartbeat(home.heartbeats)
    if table is not None and outline is not None and (wrong := _no_windows(outline, table)):
        return WindowObservation(None, wrong)
    if beat is None:
        return WindowObservation(None)
    progress = tables_progress(home, Log(home.log_directory), outline, beat)
    error = f"its driver failed: {beat.error}" if beat.state == FAILED and beat.final else None
    asked = [one for one in progress.tables if table in (None, one.table)]
    until = complete_until(progress.published) if table is None else next((one.published for one in asked), None)
    return WindowObservation(until, error, home.zone, tuple(str(one) for one in asked if one.waits))


def _no_windows(outline: Outline, table: str) -> str:
    """Why no window of this table will ever be published; empty if some may be."""
    found = {one.name: one.window for one in outline.inserts}
    if table not in found:
        return f"the report has no table {table!r}: it has {', '.join(found)}"
    return f"table {table!r} has no windows" if found[table] is None else ""


class NrtWindowTrigger(BaseTrigger):
    """Fires when all windows of a home that end at or before `window_end` are published, or never will be.

    The event has `error`: None, or why the windows will never be published.

    :param home: the report's home
    :param window_end: a time of the report's clock, or an instant with `Z` or an offset
    :param poll_interval: seconds between looks at the home
    :param earliest: seconds before which it never fires
    :param group: the group that shares the home, by name or id
    :param table: the table whose windows are waited for; all tables without it
    """

    def __init__(
        self,
        home: str,
        window_end: str,
        poll_interval: float = 5.0,
        earliest: float = EARLIEST_SECONDS,
        group: str | None = None,
        table: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.home = home
        self.window_end = window_end
        self.poll_interval = poll_interval
        self.earliest = earliest
        self.group = group
        self.table = table

    def serialize(self) -> tuple[str, dict[str, Any]]:
        names = ("home", "window_end", "poll_interval", "earliest", "group", "table")
        return "airflow_nrt.triggers.window.NrtWindowTrigger", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        began = time.monotonic()
        logged = ""
        while True:
            try:
                look = partial(look_at_windows, self.home, self.group, self.table)
                observation = await WATCHER.read(self.home, ("windows", self.group, self.table), look)
            except Unreadable as wrong:
                if str(wrong) != logged:
                    logged = str(wrong)
                    self.log.warning("%s can't be read: %s", self.home, logged)
            else:
                said = "; ".join(observation.waiting)
                if said and said != logged:
                    self.log.info("waiting for what is decided and not published: %s", said)
                logged = said
                if observation.reaches(self.window_end) or observation.error is not None:
                    break
            await asyncio.sleep(self.poll_interval)
        await asyncio.sleep(max(0.0, began + self.earliest - time.monotonic()))
        error = None if observation.reaches(self.window_end) else observation.error
        yield TriggerEvent({"error": error})  # type: ignore[no-untyped-call]
