"""One fold of the log: what it says up to an entry, as far as it is still open. It grows with what is open, not with
the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from airflow_nrt.home.log.entries import Commit, Entry, OperatorState, Position, Restate, Tick
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.pins import Pin, pins_after
from airflow_nrt.home.log.splits import SourceFile

LAST_FILES = 256
"""How many files that were read last are kept: a `stat` of so many takes less than a millisecond."""


@dataclass(frozen=True)
class HomeState:
    """The state of a home after `entry`, which has this `id`; -1 before the first one.

    `time` is when the entry was written, `clock` the processing time (ms) of the last batch or tick, `epoch` that of
    the newest lease. `restatements` counts backfills and repairs, `doubts` are by operator the ends of windows up to
    which a verification has found carried state to be wrong. `last_files` are the newest files that drivers have read,
    in their order. `written` are the files of state that entries have named, `pins` the windows that a person has set.
    """

    entry: int = -1
    id: str = ""
    time: int | None = None
    position: Position = field(default_factory=Position)
    clock: int | None = None
    epoch: int = 0
    restatements: int = 0
    doubts: Mapping[str, int] = field(default_factory=dict)
    last_files: tuple[SourceFile, ...] = ()
    written: NamedFiles = field(default_factory=dict)
    pins: tuple[Pin, ...] = ()

    def apply(self, entry: Entry) -> HomeState:
        """The state after the next entry."""
        after = replace(
            self, entry=entry.n, id=entry.id, time=entry.time, epoch=self.epoch if entry.epoch is None else entry.epoch
        )
        body = entry.body
        if isinstance(body, (Commit, Tick)):
            after = replace(after, position=body.position, clock=body.clock)
            if body.written:
                after = replace(after, written=_in_use({**self.written, **body.written}, body.position))
        if isinstance(body, Commit) and body.files:
            after = replace(after, last_files=(*self.last_files, *body.files)[-LAST_FILES:])
        if isinstance(body, Restate):
            doubts = {name: max(end, self.doubts.get(name, end)) for name, end in body.suspects.items()}
            after = replace(after, restatements=self.restatements + 1, doubts={**self.doubts, **doubts})
        pins = pins_after(self.pins, entry)
        return after if pins is self.pins else replace(after, pins=pins)

    @property
    def suspects(self) -> dict[str, int]:
        """The operators whose carried state is in doubt, with the ends of the windows that have not fired again."""
        fired = {name: self.position.operators.get(name, OperatorState()).fired for name in self.doubts}
        return {name: end for name, end in self.doubts.items() if (at := fired[name]) is None or at < end}


def _in_use(written: NamedFiles, position: Position) -> NamedFiles:
    """Those of files to which a position refers."""
    files = position.files()
    return {directory: named for directory, named in written.items() if directory in files}
