"""How often triggers have looked at homes: a test waits for looks, not for seconds, however busy the machine is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import TypeVar

from airflow_nrt.triggers.watcher import Watcher

Read = TypeVar("Read")


class Looks(Watcher):
    """`begun` counts looks from their begin: with the next one the look before it has had its consequences."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0

    async def read(self, location: str, what: Hashable, read: Callable[[], Read]) -> Read:
        self.begun += 1
        return await super().read(location, what, read)

    async def pass_by(self, looks: int) -> None:
        """So many looks, whole with what follows from them."""
        until = self.begun + looks + 1
        while self.begun < until:
            await asyncio.sleep(0.002)
