"""What a driver is asked to do, and what comes of it. Nothing of it counts before an entry of the log refers to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from airflow_nrt.home.log.entries import Commit, Entry, Lateness, OperatorState, Position, Published, StateFile, Tick
from airflow_nrt.home.log.position.throttle import Waiting
from airflow_nrt.home.log.position.versions import StagedVersions, Touched
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.plan import Insert, Source


@dataclass(frozen=True)
class Look:
    """Looks at the clock. Gives processing time (ms)."""


@dataclass(frozen=True)
class Tune:
    """The next plans read these files. Gives whether one task does."""

    files: tuple[Split | StateFile, ...]


@dataclass(frozen=True)
class SetClock:
    """Queries that follow are of this processing time (ms). Gives the versions of dimension tables by name."""

    clock: int


@dataclass(frozen=True)
class Batch:
    """A micro-batch of a source before it is committed.

    `clock` is its processing time (ms), `watermarks` are those of the operators that absorb it, by which its rows are
    late, `dimensions` the versions of dimension tables that they are joined with. `ends`: the source ends with it. One
    that `is_whole` has all rows of its windows.
    """

    source: Source
    clock: int
    watermarks: Mapping[str, int | None]
    dimensions: Mapping[str, str]
    ends: bool
    is_whole: bool


@dataclass(frozen=True)
class Absorb:
    """Absorbs the splits of a batch at a position. Gives a `BatchResult`, or the `Unreadable` file of a split."""

    batch: Batch
    splits: tuple[Split, ...]
    position: Position


@dataclass(frozen=True)
class Unreadable:
    """A file that can't be read, in a table that allows to leave such files out."""

    path: str


@dataclass(frozen=True)
class BatchResult:
    """What a batch has written before its commit, which may be the entry `number`: counts, files of state and results,
    the ledger.

    `proposals` are the watermarks (ms) that its rows propose, by part of the source. `tables` are the rows of update
    tables after it, where it touches some, and `removed` the results that no longer exist (`insert/place`). Of its
    rows `unreadable` were rejected as a limit allows; `example` is one of them, for people.
    """

    number: int
    row_count: int = 0
    proposals: Mapping[str, int | None] = field(default_factory=dict)
    partials: Mapping[str, StateFile] = field(default_factory=dict)
    numbers: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)
    updating: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    late: tuple[Lateness, ...] = ()
    ledger: str | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    unreadable: int = 0
    example: str = ""
    touched: Mapping[str, Sequence[Touched]] = field(default_factory=dict)
    waiting: Waiting = field(default_factory=dict)
    tables: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fire:
    """Fires the windows that are due at a position, with their versions, and emits what these throttled inserts hold.

    Gives a `Fired`.
    """

    position: Position
    throttled: tuple[Insert, ...]
    clock: int


@dataclass(frozen=True)
class Fired:
    """The operators after a firing, by name, and what it has staged."""

    operators: Mapping[str, OperatorState]
    published: tuple[Published, ...]
    versions: Mapping[str, StagedVersions]
    updating: Mapping[str, tuple[StateFile, ...]]
    waiting: Waiting
    tables: Mapping[str, tuple[StateFile, ...]]
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class MoveOn:
    """Moves operators over recent rows to these watermarks (ms), and emits rows that waited for the end of sources.

    Gives a `Moved`, or None if that changes no row.
    """

    position: Position
    moments: Mapping[str, int]
    clock: int


@dataclass(frozen=True)
class Moved:
    """What rows that come or go have changed."""

    published: tuple[Published, ...]
    updating: Mapping[str, tuple[StateFile, ...]]
    moments: Mapping[str, int]
    waiting: Waiting
    tables: Mapping[str, tuple[StateFile, ...]]
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Compact:
    """Merges files of state where there are many. Gives the operators after it, by name."""

    operators: Mapping[str, OperatorState]


@dataclass(frozen=True)
class Append:
    """Appends an entry, which leads to its position; with a `number`, as this entry alone.

    Gives the entry, or None if another writer has its number.
    """

    body: Commit | Tick
    number: int | None = None


@dataclass(frozen=True)
class Publish:
    """Publishes what an entry has decided."""

    entry: Entry


Action = Look | Tune | SetClock | Absorb | Fire | MoveOn | Compact | Append | Publish
