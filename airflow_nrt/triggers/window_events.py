"""Watches the log of a home for windows to emit as asset events."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset
from airflow.triggers.base import BaseEventTrigger, TriggerEvent
from asgiref.sync import sync_to_async

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.triggers.time_limits import within

if TYPE_CHECKING:
    # A DAG file that watches an asset imports this module, and must parse in milliseconds.
    from airflow_nrt.home.home import Home
    from airflow_nrt.hooks.nrt import NrtHook
    from airflow_nrt.triggers.cursor import Cursor

_AGAIN_SECONDS = 300.0
"""The time after which a dispatcher is woken again if it has not moved, or if no run has confirmed its last claim,
because its run may have failed."""
_WAITING_MS = 900_000
"""The time after which a running driver has published what a backfill left undone."""
_ANSWER_SECONDS = 60.0
"""The time limit for answers of Airflow: the first one in a new triggerer takes many seconds."""


class NrtWindowEventTrigger(BaseEventTrigger):
    """Fires when the log of a home has windows that no dispatcher has claimed yet: see `dispatcher_dag`.

    The cursors of the dispatcher's tasks are in the state store of the watched asset `log`, not in the trigger. So
    nothing is lost if a triggerer is restarted, or if two triggerers run it for a while. The first look sets the
    cursors to the end of the log ten minutes ago. With `catchup`, or if there is no home yet, it sets them to the
    beginning. The event has `home`, and `entry`: the first log entry with new windows, or with a claim of a run that
    may have failed.

    :param log: the name of the asset that it watches
    :param home: the report's home; a relative path starts at the connection's `home`
    :param table: the table whose windows matter; None: any
    :param nrt_conn_id: a connection of type `nrt`
    :param catchup: begin with the whole log
    :param poll_interval: seconds between looks at the home
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
        self._hook: NrtHook | None = None
        self._cursors: tuple[Cursor, ...] = ()
        self._read_up_to = ("", -1)
        self._open: int | None = None
        self._waiting: int | None = None

    def serialize(self) -> tuple[str, dict[str, Any]]:
        names = ("home", "table", "nrt_conn_id", "catchup", "poll_interval")
        known = {"log": self.log_asset, **{name: getattr(self, name) for name in names}}
        return "airflow_nrt.triggers.window_events.NrtWindowEventTrigger", known

    async def run(self) -> AsyncIterator[TriggerEvent]:
        logged, woken, at = "", -1, time.monotonic()
        while True:
            is_due = time.monotonic() - at > _AGAIN_SECONDS
            try:
                entry = await self._first_window_event()
                if entry is None and is_due:
                    entry = await self._first_open_claim()
            except Exception as wrong:
                # An event trigger that ends is not started again.
                self._hook = None
                if str(wrong) != logged:
                    logged = str(wrong)
                    self.log.warning("%s can't be watched: %s", self.home, logged)
            else:
                logged = ""
                if entry is not None and (entry != woken or is_due):
                    woken, at = entry, time.monotonic()
                    self.log.info("%s: windows since entry %d are to be emitted", self.home, entry)
                    yield TriggerEvent({"home": self.home, "entry": entry})  # type: ignore[no-untyped-call]
            await asyncio.sleep(self.poll_interval)

    async def _first_window_event(self) -> int | None:
        """The first entry of the log with windows that nobody has claimed. Raises NrtError, and what Airflow raises.

        Airflow is not asked while the log has nothing new.
        """
        if self._hook is None:
            self._hook = await self._connected()
        if self._cursors and await self._look(self._hook) is None:
            return None
        self._cursors = await self._claims(self._hook)
        return await self._look(self._hook)

    async def _first_open_claim(self) -> int | None:
        """The first entry of a claim whose run may have failed. Raises NrtError, and what Airflow raises."""
        if self._open is None or self._hook is None:
            return None
        self._cursors = await self._claims(self._hook)
        await self._look(self._hook)
        return self._open

    async def _connected(self) -> NrtHook:
        from airflow_nrt.hooks.nrt import NrtHook

        hook = NrtHook(self.nrt_conn_id)
        # The hook caches the connection, because threads that read homes can't ask Airflow.
        await _answered(sync_to_async(hook.get_conn)())
        return hook

    async def _claims(self, hook: NrtHook) -> tuple[Cursor, ...]:
        """The cursors of the dispatcher's tasks; the first look makes them."""
        from airflow_nrt.home.window_events import KINDS
        from airflow_nrt.triggers.cursor import Cursor

        if self.asset_state_store is None:
            raise NrtError("there is no state store: only an AssetWatcher can run this trigger")
        store = self.asset_state_store[Asset(self.log_asset)]
        known = {kind.name: await _answered(store.aget(kind.name)) for kind in KINDS}
        for name in [name for name, one in known.items() if one is None]:
            known[name] = (await self._read(hook, ("begin", self.catchup), _begin, self.catchup)).to_json()
            await _answered(store.aset(name, known[name]))
        return tuple(map(Cursor.from_json, known.values()))

    async def _look(self, hook: NrtHook) -> int | None:
        what = (self.table, self.log_asset, self._cursors, self._read_up_to)
        found: _Found = await self._read(hook, ("window events", *what), _find, *what)
        self._read_up_to, self._open = found.read_up_to, found.open
        if found.waiting is not None and found.waiting != self._waiting:
            self.log.warning(
                "%s: what entry %d decided is not published, so no window since then becomes an event: its process has "
                "died, or hangs. Start a driver, or a backfill: both publish it first",
                self.home,
                found.waiting,
            )
        self._waiting = found.waiting
        return found.entry

    async def _read(self, hook: NrtHook, what: tuple[Any, ...], read: Callable[..., Any], *arguments: Any) -> Any:
        """The result of `read(hook, home, …)`, in a thread that may hang. Raises Unreadable."""
        from airflow_nrt.triggers.watcher import WATCHER

        location = os.path.join(hook.get_conn().home or "", self.home)
        return await WATCHER.read(location, what, partial(read, hook, self.home, *arguments))


def _begin(hook: NrtHook, location: str, catchup: bool) -> Cursor:
    from airflow_nrt.home.heartbeat import now_ms
    from airflow_nrt.triggers.cursor import Cursor

    return Cursor.at_begin(_existing(hook, location), catchup, now_ms())


_ReadUpTo = tuple[str, int]
"""A home's id, and the entry up to which it has no window event: these entries are not read again."""


@dataclass(frozen=True)
class _Found:
    """The first entry with new window events, the first of an open claim, and one whose results have waited too
    long."""

    entry: int | None
    read_up_to: _ReadUpTo
    open: int | None = None
    waiting: int | None = None


def _find(
    hook: NrtHook, location: str, table: str | None, store: str, cursors: tuple[Cursor, ...], read_up_to: _ReadUpTo
) -> _Found:
    from airflow_nrt.home.heartbeat import now_ms
    from airflow_nrt.home.notes.followers import note_follower
    from airflow_nrt.home.window_events import has_window_events, visible_entries

    home = _existing(hook, location)
    if home is None:
        return _Found(None, read_up_to)
    claims = [cursor.of(home) for cursor in cursors]
    known, after = home.identity().id, min(claim.until for claim in claims)
    claimed = min((claim.after + 1 for claim in claims if claim.is_open), default=None)
    if read_up_to[0] == known:
        after = max(after, read_up_to[1])
    log = home.log()
    needed = min([min(claim.until for claim in claims) + 1, *([] if claimed is None else [claimed])])
    note_follower(home, f"the dispatcher of {table or 'all tables'} ({store})", needed)
    for entry in visible_entries(home, log, table, after):
        if has_window_events(entry, log, table):
            return _Found(entry.n, (known, after), claimed)
        after = entry.n
    after = max(after, log.first - 1)
    waiting = after + 1 if after < log.last and log.read(after + 1).time < now_ms() - _WAITING_MS else None
    return _Found(None, (known, after), claimed, waiting)


def _existing(hook: NrtHook, location: str) -> Home | None:
    from airflow_nrt.home.home import Home

    unopened = hook.home(location)
    return Home.open(unopened.path, unopened.group) if unopened.report_file.exists() else None


async def _answered(question: Any) -> Any:
    return await within(_ANSWER_SECONDS, question)
