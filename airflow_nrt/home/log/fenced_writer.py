"""Fencing: a driver appends to the log as long as no newer one has begun. The newest lease has the newest epoch."""

from __future__ import annotations

from airflow_nrt.basics.errors import FencedError, NrtError, RetainedError
from airflow_nrt.home.log.chapters import CHAPTER
from airflow_nrt.home.log.entries import Body, Entry, Lease
from airflow_nrt.home.log.log import EntryTaken, Log


class LateEntryError(NrtError):
    """An entry of this driver stands that it did not know of. What follows from it has to be read again."""

    passes = True


class Writer:
    """Appends for one driver, as long as its lease is the newest."""

    def __init__(self, log: Log, epoch: int) -> None:
        self.log = log
        self.epoch = epoch
        self.foreign_entries: list[Entry] = []
        self._met = log.last
        """The last entry that it has read or written. The log may know more of them: to read one may fail."""
        self._fenced: FencedError | None = None

    @property
    def last(self) -> int:
        """The number of the last entry that it knows."""
        return self.log.last

    @classmethod
    def begin(cls, log: Log, lease: Lease, above: int = 0) -> Writer:
        """Takes the next epoch, which is `above` another one. Where two drivers begin at once, the later lease wins.

        Raises FencedError if the log was left.
        """
        while True:
            log.refresh()
            epoch = max(log.epoch(), above) + 1
            try:
                log.append(lease, epoch)
                log.bind()
                return cls(log, epoch)
            except EntryTaken:
                continue

    def append(self, body: Body) -> Entry:
        """Appends an entry after all others. Raises FencedError once a newer driver has begun, and LateEntryError.

        Restatements in between do not change the position of the stream; they are collected in `foreign_entries`.
        """
        while True:
            entry = self.append_as(self.log.last + 1, body)
            if entry is not None:
                return entry

    def append_as(self, number: int, body: Body) -> Entry | None:
        """Appends an entry with this number. None, and nothing is appended, if a restatement has it. Raises as
        `append`."""
        self._meet_all()
        if self.log.last >= number:
            return None
        try:
            entry = self.log.append(body, self.epoch)
        except EntryTaken:
            self._meet_all()
            return None
        except RetainedError:
            self.check()
            return None
        self._met = entry.n
        if entry.n % CHAPTER == 0:
            self.log.bind()
        return entry

    def check(self) -> None:
        """Raises FencedError if a newer driver has begun. What this one has written is known from here on."""
        if self._fenced is not None:
            raise self._fenced
        self.log.refresh()
        while self._met < self.log.last:
            self._meet_next()

    def _meet_all(self) -> None:
        """Meets what has come since. An entry of this driver that it took for failed stands if it was put without an
        answer: then this driver has gone on without it."""
        if self._fenced is not None:
            raise self._fenced
        while self._met < self.log.last:
            entry = self._meet_next()
            if entry is not None and entry.epoch == self.epoch:
                raise LateEntryError(
                    f"log entry {entry.n} stands, which this driver (epoch {self.epoch}) took for failed: "
                    "it reads on from there"
                )

    def _meet_next(self) -> Entry | None:
        if self._met + 1 < self.log.first:
            # What it has missed is removed. Who has written it is known, and nothing of it is left to be published.
            self._met = self.log.first - 1
            self._check_epoch(self.log.beginning().state.epoch, self._met)
            return None
        entry = self.log.read(self._met + 1)
        self._met = entry.n
        if entry.epoch is None:
            self.foreign_entries.append(entry)
        else:
            self._check_epoch(entry.epoch, entry.n)
        return entry

    def _check_epoch(self, epoch: int, n: int) -> None:
        if epoch <= self.epoch:
            return
        # Kept: an entry is met only once.
        self._fenced = FencedError(
            f"a newer driver (epoch {epoch}) has taken over this home at log entry {n}; "
            f"this one (epoch {self.epoch}) stops"
        )
        raise self._fenced
