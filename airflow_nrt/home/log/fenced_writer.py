"""Fencing: a driver appends to the log as long as no newer one has begun. The newest lease has the newest epoch."""

from __future__ import annotations

from airflow_nrt.basics.errors import FencedError
from airflow_nrt.home.log.chapters import CHAPTER
from airflow_nrt.home.log.entries import Body, Entry, Lease
from airflow_nrt.home.log.log import EntryTaken, Log


class Writer:
    """Appends for one driver, as long as its lease is the newest."""

    def __init__(self, log: Log, epoch: int) -> None:
        self.log = log
        self.epoch = epoch
        self.foreign_entries: list[Entry] = []
        self._fenced: FencedError | None = None

    @property
    def last(self) -> int:
        """The number of the last entry that it knows."""
        return self.log.last

    @classmethod
    def begin(cls, log: Log, lease: Lease) -> Writer:
        """Takes the next epoch. Where two drivers begin at once, the later lease wins."""
        while True:
            log.refresh()
            epoch = log.epoch() + 1
            try:
                log.append(lease, epoch)
                log.bind()
                return cls(log, epoch)
            except EntryTaken:
                continue

    def append(self, body: Body) -> Entry:
        """Appends an entry after all others. Raises FencedError once a newer driver has begun.

        Restatements in between do not change the position of the stream; they are collected in `foreign_entries`.
        """
        while True:
            if self._fenced is not None:
                raise self._fenced
            try:
                entry = self.log.append(body, self.epoch)
            except EntryTaken as taken:
                self._meet(taken.entry)
                continue
            self._bind_after(entry)
            return entry

    def _bind_after(self, entry: Entry) -> None:
        if entry.n % CHAPTER == 0:
            self.log.bind()

    def append_as(self, number: int, body: Body) -> Entry | None:
        """Appends an entry with this number. None, and nothing is appended, if a restatement has it."""
        if self._fenced is not None:
            raise self._fenced
        if self.log.last >= number:
            return None
        try:
            entry = self.log.append(body, self.epoch)
        except EntryTaken as taken:
            self._meet(taken.entry)
            return None
        self._bind_after(entry)
        return entry

    def check(self) -> None:
        """Raises FencedError if a newer driver has begun."""
        if self._fenced is not None:
            raise self._fenced
        known = self.log.last
        for n in range(known + 1, self.log.refresh() + 1):
            self._meet(self.log.read(n))

    def _meet(self, entry: Entry) -> None:
        if entry.epoch is None:
            self.foreign_entries.append(entry)
            return
        if entry.epoch <= self.epoch:
            return
        # Kept: the log now counts that entry, so the next append would succeed after it.
        self._fenced = FencedError(
            f"a newer driver (epoch {entry.epoch}) has taken over this home at log entry {entry.n}; "
            f"this one (epoch {self.epoch}) stops"
        )
        raise self._fenced
