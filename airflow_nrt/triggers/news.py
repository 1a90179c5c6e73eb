"""Watching the log of a home for windows that are to become asset events."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset
from airflow.triggers.base import BaseEventTrigger, TriggerEvent
from asgiref.sync import sync_to_async

if TYPE_CHECKING:
    # A DAG file that watches an asset imports this: it parses in milliseconds.
    from airflow_nrt.hooks.nrt import NrtHook
    from airflow_nrt.report.home import Home
    from airflow_nrt.triggers.cursor import Cursor

_AGAIN_SECONDS = 300.0
"""After so long a dispatcher that has not moved is woken again: its run may have failed."""
_ANSWER_SECONDS = 60.0
"""Within which Airflow answers: the first question to a new triggerer takes many seconds."""


class NrtNewsTrigger(BaseEventTrigger):
    """Fires when the log of a home has windows that no dispatcher has claimed yet: see `dispatcher_dag`.

    It holds no position: the cursors of the dispatcher's tasks stand in the state store of the asset `log` that it is
    a watcher of. So nothing is lost where a triggerer is restarted, or two of them run it for a while. The first look
    sets them, to the end of the log; with `catchup`, or where there is no home yet, to its begin. `table` says whose
    windows matter (None: any). The event has `home`, and `entry`, the first of the log that has something new.
    """

    def __init__(
        self,
        log: str,
        home: str,
        table: str | None = None,
        nrt_conn_id: str | None = None,
        catchup: bool = False,
        poll_interval: float = 5.0,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.log_asset = log
        self.home = home
        self.table = table
        self.nrt_conn_id = nrt_conn_id
        self.catchup = catchup
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        names = ("home", "table", "nrt_conn_id", "catchup", "poll_interval")
        known = {"log": self.log_asset, **{name: getattr(self, name) for name in names}}
        return "airflow_nrt.triggers.news.NrtNewsTrigger", known

    async def run(self) -> AsyncIterator[TriggerEvent]:
        said, woken, at = "", -1, 0.0
        while True:
            try:
                entry = await self._first_news()
            except Exception as wrong:
                # An event trigger that ends is not started again.
                if str(wrong) != said:
                    said = str(wrong)
                    self.log.warning("%s can't be watched: %s", self.home, said)
            else:
                said = ""
                if entry is not None and (entry != woken or time.monotonic() - at > _AGAIN_SECONDS):
                    woken, at = entry, time.monotonic()
                    self.log.info("%s: entry %d has new windows", self.home, entry)
                    yield TriggerEvent({"home": self.home, "entry": entry})  # type: ignore[no-untyped-call]
            await asyncio.sleep(self.poll_interval)

    async def _first_news(self) -> int | None:
        """The first entry of the log with windows that nobody has claimed. Raises NrtError, and what Airflow raises."""
        from airflow_nrt.hooks.nrt import NrtHook
        from airflow_nrt.report.news import KINDS
        from airflow_nrt.triggers.cursor import Cursor
        from airflow_nrt.triggers.watcher import WATCHER

        hook = NrtHook(self.nrt_conn_id)
        # Asked here, as a thread that reads homes can't ask Airflow; the hook keeps it.
        settings = await _answered(sync_to_async(hook.get_conn)())
        location = os.path.join(settings.home or "", self.home)
        assert self.asset_state_store is not None
        store = self.asset_state_store[Asset(self.log_asset)]
        found = [await _answered(store.aget(kind.name)) for kind in KINDS]
        cursors = [Cursor.from_json(one) for one in found if one is not None]
        if len(cursors) < len(KINDS):
            begin = await WATCHER.read(location, ("begin", self.home), partial(_begin, hook, self.home, self.catchup))
            for kind, known in zip(KINDS, found):
                if known is None:
                    await _answered(store.aset(kind.name, begin.to_json()))
            return None
        look = partial(_look, hook, self.home, self.table, cursors)
        return await WATCHER.read(location, ("news", self.home, self.table, tuple(cursors)), look)


def _begin(hook: NrtHook, location: str, catchup: bool) -> Cursor:
    from airflow_nrt.triggers.cursor import Cursor

    return Cursor.at_begin(_existing(hook, location), catchup)


def _look(hook: NrtHook, location: str, table: str | None, cursors: list[Cursor]) -> int | None:
    from airflow_nrt.report.news import has_windows, visible_entries

    home = _existing(hook, location)
    if home is None:
        return None
    after = min(cursor.of(home).until for cursor in cursors)
    return next((one.n for one in visible_entries(home, home.log(), after) if has_windows(one, table)), None)


def _existing(hook: NrtHook, location: str) -> Home | None:
    from airflow_nrt.report.home import Home

    place = hook.home(location)
    return Home.open(place.path, place.group) if place.report_file.exists() else None


async def _answered(question: Any) -> Any:
    return await asyncio.wait_for(question, _ANSWER_SECONDS)
