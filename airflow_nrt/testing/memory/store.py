"""Files of state, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from airflow_nrt.engine.driver.decide.released_state_files import Released
from airflow_nrt.home.log.entries import Position, StateFile
from airflow_nrt.testing.memory.home import MemoryHome


class MemoryStore:
    """The files that one driver writes and reads. They are removed once no recent position refers to them."""

    def __init__(self, home: MemoryHome) -> None:
        self._home = home
        self._written: set[str] = set()
        self._released = Released()

    def write(self, name: str, content: Sequence[Any], first: int = 0, last: int = 0) -> StateFile:
        path = self._home.put(self._home.state, tuple(content), f"state/{name}")
        self._written.add(path)
        return StateFile(path, first, last, len(content))

    def read(self, files: Iterable[StateFile]) -> list[Any]:
        """The contents of files, in their order. Raises KeyError for one that was removed."""
        return [one for file in files for one in self._home.state[file.path]]

    def stand_at(self, position: Position) -> None:
        """Removes what this position and those before it do not refer to."""
        for path in (path for files in self._released.after(position.files(), self._written) for path in files):
            self._home.state.pop(path, None)
            self._written.discard(path)
