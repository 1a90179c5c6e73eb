"""What goes next: the oldest range of entries, folded into the checkpoint at the new floor.

Nothing is written here. The fold begins at the floor before, or at entry 0, and is compared with what is kept of the
same entries, because from the new floor on nobody can do that again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.checkpoint import Beginning, Checkpoint
from airflow_nrt.home.log.entries import Commit, Entry, Lease
from airflow_nrt.home.log.fold.checkpoints import check_inputs, newest_checkpoint
from airflow_nrt.home.log.history.provable import provable_from
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.volumes import VOLUME, volume_of


@dataclass(frozen=True)
class Removal:
    """The entries from `first` on, up to that of the `beginning` that takes their place; `entries` are these."""

    first: int
    beginning: Beginning
    entries: Sequence[Entry]
    size: int

    @property
    def last(self) -> int:
        return self.beginning.state.entry

    @property
    def time(self) -> int:
        """When the last of them was written (ms)."""
        return self.entries[-1].time

    @property
    def provable_from(self) -> int | None:
        """Windows that begin at or after this (ms) can still be proven; None if no window can."""
        return provable_from(self.beginning.state.position)

    @property
    def ledgers(self) -> list[str]:
        return [one.body.ledger for one in self.entries if isinstance(one.body, Commit) and one.body.ledger is not None]


def removals(home: Home, log: Log, before: int) -> Iterator[Removal]:
    """The ranges of entries that were written before a time (ms), the oldest first, as far as they are in volumes, each
    as if those before it were gone.

    Raises HomeError if an entry can't be read, or if what is kept of them says something else.
    """
    beginning, first = log.beginning(), log.first
    newest = newest_checkpoint(log)
    while True:
        last = first - first % VOLUME + VOLUME - 1
        # A volume follows its checkpoint, and the newest range is none.
        if last > newest.state.entry or not volume_of(log.directory, last).exists() or log.read(last).time >= before:
            return
        entries = list(log.entries(first, last))
        beginning = _folded(log, newest, beginning, entries)
        yield Removal(first, beginning, entries, _size(home, log, entries))
        first = last + 1


def _folded(log: Log, newest: Checkpoint, before: Beginning, entries: Sequence[Entry]) -> Beginning:
    state, lease, results = before.state, before.lease, dict(before.results)
    first, last = state.entry + 1, entries[-1].n
    for entry in entries:
        state = state.apply(entry)
        if isinstance(entry.body, Lease):
            lease = entry.body
        names = (*(one.insert for one in entry.published), *(one.partition("/")[0] for one in entry.removed))
        results.update(dict.fromkeys(names, entry.n))
    files = [file for file in newest.inputs if first <= file.last <= last]
    if not files or files[-1].last != last:
        raise HomeError(
            f"no checkpoint of {log.directory.parent} ends at log entry {last}: nothing below it is removed"
        )
    check_inputs(log, files, entries)
    if newest.state.entry == last and newest.state != state:
        raise HomeError(f"the checkpoint {last}.json of {log.directory.parent} says something else than the log")
    return Beginning(Checkpoint(state, (*before.checkpoint.inputs, *files)), lease, results)


def _size(home: Home, log: Log, entries: Sequence[Entry]) -> int:
    """Bytes in the log and in ledgers."""
    ledgers = {one.body.ledger for one in entries if isinstance(one.body, Commit) and one.body.ledger is not None}
    files = [volume_of(log.directory, entries[-1].n)]
    files += [file for ledger in ledgers for part in (home.root / ledger).below() for file in part.below()]
    return sum(seen.size for seen in (file.seen() for file in files) if seen is not None)
