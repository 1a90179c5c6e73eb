"""The one reader of homes in a triggerer: in threads, with a time limit, one read of a thing at a time.

A file system that hangs costs one thread, however many triggers wait for it, and never the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from airflow_nrt.launch.processes import driver_process
from airflow_nrt.report.errors import NrtError
from airflow_nrt.report.heartbeat import read_heartbeat
from airflow_nrt.report.home import Home
from airflow_nrt.triggers.vigil import Sight

Read = TypeVar("Read")


class Unreadable(NrtError):
    """A home did not answer. It says nothing about a driver."""


class Watcher:
    """Reads for all triggers of a process. `limit` is in seconds."""

    def __init__(self, threads: int = 8, limit: float = 10.0) -> None:
        self.limit = limit
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="nrt-watcher")
        self._reads: dict[Hashable, Future[Any]] = {}

    async def read(self, key: Hashable, read: Callable[[], Read]) -> Read:
        """What `read` gives; callers with the same key share a read that is under way. Raises Unreadable."""
        under_way = self._reads.get(key)
        if under_way is None or under_way.done():
            under_way = self._reads[key] = self._pool.submit(read)
        try:
            found: Read = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(under_way)), self.limit)
            return found
        except (asyncio.TimeoutError, TimeoutError):
            raise Unreadable(f"no answer within {self.limit:g} s") from None
        except (OSError, NrtError) as wrong:
            raise Unreadable(str(wrong)) from wrong

    async def see(self, location: str) -> Sight:
        """One look at a home. Raises Unreadable."""
        return await self.read(("driver", location), lambda: look(location))


def look(location: str) -> Sight:
    """One look at a home. Raises OSError, NrtError."""
    home = Home.at(location)
    beat = read_heartbeat(home.heartbeats)
    if beat is None:
        return Sight(None)
    if beat.is_over:
        return Sight(beat, stop_asked=home.is_stop_asked(beat.epoch, beat.launch))
    return Sight(beat, driver_process(beat).is_gone())


WATCHER = Watcher()
"""Shared by all triggers of this process."""
