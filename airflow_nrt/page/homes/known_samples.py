"""A cache of samples: those that were requested last, of all homes together."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.samples import Sample, read_samples, sampled_files
from airflow_nrt.home.store.store import Seen
from airflow_nrt.home.store.store_path import StorePath

MOST_BYTES = 24 * 1024 * 1024
"""The bytes of their files; in memory they take about seven times as much. A day of 1-minute windows has 1.6 MB."""

Samples = Mapping[tuple[int, int], Sample]
"""The samples by window end and log entry."""


@dataclass(frozen=True)
class _Day:
    """The content of the `files`, which have these sizes and times."""

    files: Mapping[StorePath, Seen]
    samples: Samples

    @property
    def size(self) -> int:
        return sum(seen.size for seen in self.files.values())


class KnownSamples:
    """Days of samples, one per directory. The last requested day is kept, however large it is."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.size = 0
        self._most_bytes = most_bytes
        self._days: OrderedDict[tuple[Path, str, str], _Day] = OrderedDict()
        self._lock = threading.Lock()

    def of_day(self, home: Home, insert: str, day: str) -> Samples:
        """Raises HomeError."""
        files, key = sampled_files(home, insert, day), (home.path, insert, day)
        with self._lock:
            known = self._days.get(key)
            if known is not None and known.files == files:
                self._days.move_to_end(key)
                return known.samples
        # Outside of the lock, because the file system of one home may hang.
        read = _Day(files, read_samples(files))
        with self._lock:
            self._keep(key, read)
        return read.samples

    def _keep(self, key: tuple[Path, str, str], day: _Day) -> None:
        before = self._days.pop(key, None)
        self.size += day.size - (before.size if before is not None else 0)
        self._days[key] = day
        while self.size > self._most_bytes and len(self._days) > 1:
            self.size -= self._days.popitem(last=False)[1].size
