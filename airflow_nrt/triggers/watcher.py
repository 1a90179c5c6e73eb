"""The only reader of homes in a triggerer: in threads, with a time limit, one read of the same thing at a time.

A file system that hangs costs a few threads, however many triggers wait for it: other triggers go on, and so does the
event loop. A failed read means nothing for a driver.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.processes import driver_process
from airflow_nrt.triggers.driver_health import Observation
from airflow_nrt.triggers.mounts import file_system_of
from airflow_nrt.triggers.time_limits import within

Read = TypeVar("Read")


class Unreadable(NrtError):
    """A home could not be read in time. That means nothing for its driver."""


class Watcher:
    """Reads for all triggers of a process, with a number of threads for each file system. `limit` is in seconds."""

    def __init__(self, threads: int = 4, limit: float = 10.0) -> None:
        self.threads = threads
        self.limit = limit
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._reads: dict[Hashable, Future[Any]] = {}

    async def read(self, location: str, what: Hashable, read: Callable[[], Read]) -> Read:
        """The result of `read` on a home; callers that want the same share a read that is under way. Raises
        Unreadable."""
        key = (location, what)
        try:
            under_way = self._reads.get(key)
            if under_way is None or under_way.done():
                under_way = self._reads[key] = self._pool(location).submit(read)
                # Otherwise the result of every read would stay in memory.
                under_way.add_done_callback(partial(self._forget, key))
            found: Read = await within(self.limit, asyncio.shield(asyncio.wrap_future(under_way)))
            return found
        except (asyncio.TimeoutError, TimeoutError):
            raise Unreadable(f"no answer within {self.limit:g} s") from None
        except Exception as wrong:
            kind = "" if isinstance(wrong, (OSError, NrtError)) else f"{type(wrong).__name__}: "
            raise Unreadable(shortened(f"{kind}{wrong}")) from wrong

    async def see(self, location: str, group: str | None = None) -> Observation:
        """One look at a home. Raises Unreadable."""
        return await self.read(location, ("driver", group), lambda: look(location, group))

    def _forget(self, key: Hashable, read: Future[Any]) -> None:
        if self._reads.get(key) is read:
            del self._reads[key]

    def _pool(self, location: str) -> ThreadPoolExecutor:
        device = file_system_of(os.path.abspath(location.removeprefix("file://")))
        if device not in self._pools:
            self._pools[device] = ThreadPoolExecutor(self.threads, thread_name_prefix=f"nrt-watcher {device}")
        return self._pools[device]


def look(location: str, group: str | None = None) -> Observation:
    """One look at a home, which `group` may share. Raises OSError, NrtError."""
    home = Home.at(location, group)
    beat = read_heartbeat(home.heartbeats)
    if beat is None:
        return Observation(None)
    if beat.is_over:
        return Observation(beat, stop_asked=home.is_stop_asked(beat.epoch, beat.launch))
    return Observation(beat, driver_process(beat).is_gone())


WATCHER = Watcher()
"""Shared by all triggers of this process."""
