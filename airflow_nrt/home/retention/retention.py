"""Retention of a home, in steps that each take a second or two: a driver does one between batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import UNNAMED_VERSIONS_MS, Keep
from airflow_nrt.home.log.fold.checkpoints import state_of
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.replaced.kept_rows import remove_old
from airflow_nrt.home.retention.floor_raising import raise_floor, remove_below
from airflow_nrt.home.retention.holds import Marks, Needs
from airflow_nrt.home.retention.left_generations import remove_left
from airflow_nrt.home.retention.removal import Removal, removals


def no_marks() -> dict[str, int]:
    """Of tables that do not follow the log."""
    return {}


@dataclass
class Retention:
    """`held` says why entries that are old enough stay, None if none do; `removed_bytes` is what the last step has
    removed."""

    home: Home
    keep: Keep
    marks: Marks = no_marks
    is_filling: Callable[[], bool] = lambda: False
    clock: Callable[[], int] = now_ms
    held: str | None = field(default=None, init=False)
    removed_bytes: int = field(default=0, init=False)

    def step(self, log: Log) -> bool:
        """Does one piece of what is to be done, and gives whether there may be more.

        Raises OSError; HomeError for what can't be read, and then nothing is removed.
        """
        self.removed_bytes = 0
        remove_below(self.home, log)
        self._remove_versions(log)
        remove_left(self.home, self.keep.generations, self.clock())
        needs = self._needs(log)
        # A volume is no cache, so a driver of an older version must not come after it.
        if needs.knows_volumes() and log.bind_volume():
            return True
        for removal in self.removals(log):
            raise_floor(self.home, log, removal)
            self.removed_bytes = removal.size
            return True
        return False

    def removals(self, log: Log) -> Iterator[Removal]:
        """What is to be removed by now, the oldest first; nothing is written. Raises HomeError."""
        self.held = None
        if self.keep.history is None:
            return
        needs = self._needs(log)
        for n, removal in enumerate(removals(self.home, log, self.clock() - self.keep.history)):
            self.held = (needs.of_home() if n == 0 else None) or needs.of_entries(removal)
            if self.held is not None:
                return
            yield removal

    def _remove_versions(self, log: Log) -> None:
        if self.home.versions.names(1):
            log.refresh()
            remove_old(self.home, state_of(log).pins, max(self.keep.versions, UNNAMED_VERSIONS_MS), self.clock())

    def _needs(self, log: Log) -> Needs:
        return Needs(self.home, log, self.keep, self.marks, self.is_filling)
