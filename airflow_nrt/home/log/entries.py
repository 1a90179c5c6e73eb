"""The entries of the log: leases, commits, ticks, restatements, fillings, the end, and the position that they lead to.

Times are milliseconds: `time` and `clock` of the wall clock, watermarks and window bounds of the report's clock.
Paths are relative to the home, except those of source files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.files.decoding import STORED_AS, decoded
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.older_entries import STEPS
from airflow_nrt.home.log.splits import SourceFile, SourceRange, Split
from airflow_nrt.model.row_semantics import ROW_SEMANTICS
from airflow_nrt.model.skipped_row import SkippedRow

STATE = Format("the state")
"""The format of partials of operators and of the state of updating operators: the columns of these files and their
meaning."""
LEDGER = Format("the ledger", (lambda record: record,))
"""The format of late and rejected rows. In format 1 a line with a malformed field was rejected whole, and no column was
named."""


@dataclass(frozen=True)
class StateFile:
    """A directory of rows of state; the first entry that refers to it names its files.

    `first` and `last` are its range: the least and the greatest value of the column by which its rows are placed. Its
    kind says what that is of (`state_kinds.py`).
    """

    path: str
    first: int
    last: int
    rows: int
    format: int = STATE.number

    def __post_init__(self) -> None:
        if self.format != STATE.number:
            STATE.check(self.format, self.path)


@dataclass(frozen=True)
class OperatorState:
    """The state that one operator carries from batch to batch.

    `watermark` never goes back. All windows that end at or before `fired` have fired; None if none could yet.
    `rows` are partials as they were absorbed, `closed` one partial per key and slice that has fired; for OVER, what
    rows that have fired leave to later ones. `complete` is set where windows are complete before they fire for good.
    `numbers` are how many rows of each key have come, where rows are numbered in the order of arrival.
    """

    watermark: int | None = None
    fired: int | None = None
    rows: tuple[StateFile, ...] = ()
    closed: tuple[StateFile, ...] = ()
    suspect: int | None = None
    """Carried state of windows that end at or before this is in doubt: the verifier found a real difference."""
    complete: int | None = None
    numbers: tuple[StateFile, ...] = ()

    @property
    def complete_until(self) -> int | None:
        """All windows that end at or before this are complete and published."""
        return self.fired if self.complete is None else self.complete

    @property
    def fired_until(self) -> int:
        """All windows that end at or before this have fired; before all time if none could yet."""
        return BEFORE_TIME if self.fired is None else self.fired

    def files(self) -> frozenset[str]:
        return frozenset(file.path for file in (*self.rows, *self.closed, *self.numbers))


@dataclass(frozen=True)
class Versions:
    """State for the timing of an insert whose windows have several versions.

    Versions that were due at watermarks up to `at` are published. `rows` counts the rows since then for windows (by
    their ends) that have a version, or could have one. `standing` are the published windows that may still change, with
    their place below the sink; `shown` holds their rows, where the sink has to know what to retract.
    """

    at: int | None = None
    rows: Mapping[int, int] = field(default_factory=dict)
    standing: Mapping[int, str] = field(default_factory=dict)
    shown: tuple[StateFile, ...] = ()


@dataclass(frozen=True)
class PartState:
    """A part of a source that has a watermark of its own. `idle` parts do not hold back the source's."""

    watermark: int | None = None
    idle: bool = False


@dataclass(frozen=True)
class RowsOfDay:
    """The rows of a source that came on one `day` of processing time (UTC, since 1970), and those among them that could
    not be read, and were rejected within a limit (`model/input/rejected_limit.py`)."""

    day: int = 0
    rows: int = 0
    unreadable: int = 0


@dataclass(frozen=True)
class SourceState:
    """How far one source was read. `idle` sources do not hold back an operator's watermark.

    `rejected` counts rows, unreadable files and lost ranges, `null_fields` fields that could not be parsed, whose rows
    count. Entries that have no `null_fields` counted these as rejected, too.

    `parts` are those that have watermarks of their own: the source's is the least of them. `row_semantics` says how
    values of its rows are read (`row_semantics.py`). From the entry on whose state `nulls_errors`, arithmetic without
    a result is NULL (`model/arithmetic_errors.py`). The rows `of_day` are counted where few of them may be unreadable.
    """

    watermark: int | None = None
    idle: bool = False
    ended: bool = False
    files: int = 0
    rows: int = 0
    rejected: int = 0
    null_fields: int = 0
    parts: Mapping[str, PartState] = field(default_factory=dict)
    row_semantics: int = ROW_SEMANTICS
    nulls_errors: bool = False
    of_day: RowsOfDay = field(default_factory=RowsOfDay)


@dataclass(frozen=True)
class Position:
    """The position of the stream after an entry: all that a driver needs to resume.

    `updating` is the state of the operators without windows; `moments` are the watermarks of those over recent rows.
    `versions` belong to the inserts whose windows have several. `tables` are the rows of update tables that change one
    by one, in parts.
    """

    sources: Mapping[str, SourceState] = field(default_factory=dict)
    operators: Mapping[str, OperatorState] = field(default_factory=dict)
    late: int = 0
    dropped: int = 0
    windows: int = 0
    updating: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)
    moments: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, Versions] = field(default_factory=dict)
    tables: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)

    def files(self) -> frozenset[str]:
        """All files of state that this position refers to."""
        others = [*self.updating.values(), *self.tables.values(), *(one.shown for one in self.versions.values())]
        named = (frozenset(file.path for file in files) for files in others)
        return frozenset().union(*(state.files() for state in self.operators.values()), *named)


_IS_DELTA = "told"
"""As entries have always named it."""
ARCHIVED, COMPACTED = "archived", "compacted"
"""The states of files of archives: the rows of one batch, and of several files that it replaces."""
PASSED = "passed"
"""The state of rows without a window."""


@dataclass(frozen=True)
class Published:
    """One file of results: a whole window of one insert, or the rows of one batch if the insert has no windows.

    For SESSION the file holds the sessions that fired together and end in one slot, with the bounds `start` and `end`.

    `state` is `complete` (or `early`, `late`, `last`, if windows have several versions), `restated`, `passed` for rows
    without a window, `changed` for a changelog, or `archived` or `compacted` in an archive. `staged` is the path where
    the file waits, `target` its path below the sink's directory. `is_delta` marks a version with only the changes of a
    window. Its file is beside the file of the version before.
    """

    insert: str
    start: int | None
    end: int | None
    state: str
    rows: int
    checksum: str
    staged: str
    target: str
    is_delta: bool = field(default=False, metadata={STORED_AS: _IS_DELTA})


@dataclass(frozen=True)
class Lateness:
    """Late rows of one operator in one batch: how many missed at least one window, and how many missed all."""

    operator: str
    late: int
    dropped: int


@dataclass(frozen=True)
class Lease:
    """A driver begins. After it no older epoch can append.

    The driver reads its sources under these `input_policies`, by name. They are None if an earlier version began.
    By source, `skipped` are all rows that drivers of the home have been asked to leave out so far, and `reopened` the
    closed directories that it opens again.
    """

    host: str
    pid: int
    application: str
    input_policies: Mapping[str, Mapping[str, str]] | None = None
    skipped: Mapping[str, tuple[SkippedRow, ...]] = field(default_factory=dict)
    reopened: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Commit:
    """A batch of one source was absorbed: `files`, or `ranges`, as the source has them.

    `seen` are the operators' watermarks before the batch. They decide which of its rows are late. `clock` is the
    processing time, which decides which rows lie in the future. `ledger` is the directory of late and rejected rows.
    `removed` are results that no longer exist.
    """

    source: str
    files: tuple[SourceFile, ...]
    rows: int
    clock: int
    seen: Mapping[str, int | None]
    rejected: Mapping[str, int]
    late: tuple[Lateness, ...]
    ledger: str | None
    published: tuple[Published, ...]
    position: Position
    removed: tuple[str, ...] = ()
    ledger_format: int = LEDGER.number
    ranges: tuple[SourceRange, ...] = ()
    dimensions: Mapping[str, str] = field(default_factory=dict)
    """By dimension table, the version that its rows were joined with."""
    written: NamedFiles = field(default_factory=dict)
    """Of the directories of state and the ledger to which it is the first to refer. Format 5 had none."""

    def __post_init__(self) -> None:
        LEDGER.check(self.ledger_format, self.ledger)

    @property
    def splits(self) -> tuple[Split, ...]:
        return (*self.files, *self.ranges)


@dataclass(frozen=True)
class Tick:
    """Something happened without rows: windows fired, a source became idle or ended, files of state were merged.

    `removed` are results that no longer exist, `closed` by source the directories that have closed.
    """

    published: tuple[Published, ...]
    clock: int
    position: Position
    removed: tuple[str, ...] = ()
    dimensions: Mapping[str, str] = field(default_factory=dict)
    """By dimension table, the version that the windows were joined with."""
    closed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    written: NamedFiles = field(default_factory=dict)
    """Of the directories of state to which it is the first to refer."""


@dataclass(frozen=True)
class Undo:
    """A window got the rows back that the entry `version` had published. They are in the directory `rows` below the
    home."""

    insert: str
    end: int
    version: int
    rows: str


@dataclass(frozen=True)
class Restate:
    """Windows were restated from the batch result, some of them perhaps published for the first time; see `reason`.

    The batch read the rows of all commits up to the entry `as_of`, and counted none as late. If no stream had read
    anything, `files` and `ranges` are the input of the batch, by source. An `undo` has read nothing.

    It is `by` somebody, for a `cause`. `kept` are files with the rows that it replaces, by directory below the home. It
    ends the pins of the windows `unpinned`, by insert.
    """

    published: tuple[Published, ...]
    removed: tuple[str, ...]
    reason: str
    suspects: Mapping[str, int]
    as_of: int
    files: Mapping[str, tuple[SourceFile, ...]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[SourceRange, ...]] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)
    """By dimension table, the version that all rows were joined with; of others, each row with that of its batch."""
    row_semantics: int = ROW_SEMANTICS
    """How values of rows were read where no stream had read any."""
    by: Author | None = None
    """None if an earlier version wrote it."""
    cause: str = ""
    kept: NamedFiles = field(default_factory=dict)
    undo: Undo | None = None
    unpinned: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def splits(self, source: str) -> tuple[Split, ...]:
        return (*self.files.get(source, ()), *self.ranges.get(source, ()))


@dataclass(frozen=True)
class Fill:
    """The table of an added insert got windows from the table of its `twin`, an insert with the same query.

    `since` is the first entry that published one of these windows in the twin's table. `absent` are the ends of windows
    that are no longer there. `left` counts the windows that are still to be filled.
    """

    insert: str
    twin: str
    published: tuple[Published, ...]
    since: int
    absent: tuple[int, ...] = ()
    left: int = 0


@dataclass(frozen=True)
class Left:
    """The report has changed: from here on the generation `successor` of the home counts. It is the last entry."""

    successor: int


_LEFT_OUT_IF_EMPTY = (
    "ranges", "dimensions", "skipped", "reopened", "closed", "written", "by", "cause", "kept", "undo", "unpinned",
)  # fmt: skip
_LEFT_OUT_OF_SPLITS = (("files", "version"), ("files", "until"), ("ranges", "archive"), ("ranges", "topic_id"))
Body = Lease | Commit | Tick | Restate | Fill | Left
_KINDS: dict[str, type[Any]] = {
    "lease": Lease,
    "commit": Commit,
    "tick": Tick,
    "restate": Restate,
    "fill": Fill,
    "left": Left,
}


@dataclass(frozen=True)
class _Head:
    n: int
    kind: str
    epoch: int | None
    time: int
    id: str


@dataclass(frozen=True)
class Entry(_Head):
    """One numbered entry. `epoch` is that of the writing driver, None for a restatement. `id` identifies the writer."""

    body: Body

    def to_json(self) -> dict[str, Any]:
        head = {"n": self.n, "kind": self.kind, "epoch": self.epoch, "time": self.time, "id": self.id}
        body = asdict(self.body)
        for published in body.get("published", ()):
            published[_IS_DELTA] = published.pop("is_delta")
        # A version that does not know these fields goes on with a home that has no use for them.
        for name in _LEFT_OUT_IF_EMPTY:
            if not body.get(name):
                body.pop(name, None)
        for field_of, optional in _LEFT_OUT_OF_SPLITS:
            for split in _splits_in(body.get(field_of, ())):
                if split[optional] is None:
                    del split[optional]
        for state in body["position"]["operators"].values() if "position" in body else ():
            if not state["numbers"]:
                del state["numbers"]
        for state in body["position"]["sources"].values() if "position" in body else ():
            for name in ("null_fields", "parts", "nulls_errors"):
                if not state[name]:
                    del state[name]
            if not state["of_day"]["rows"]:
                del state["of_day"]
        return _FORMAT.stamped({**head, **body})

    @property
    def published(self) -> tuple[Published, ...]:
        return () if isinstance(self.body, (Lease, Left)) else self.body.published

    @property
    def removed(self) -> tuple[str, ...]:
        """Files of sinks (`insert/place`) that are no longer visible to readers."""
        return () if isinstance(self.body, (Lease, Fill, Left)) else self.body.removed

    @property
    def dimensions(self) -> Mapping[str, str]:
        """By dimension table, the version that was used."""
        return {} if isinstance(self.body, (Lease, Fill, Left)) else self.body.dimensions

    @property
    def position(self) -> Position | None:
        return self.body.position if isinstance(self.body, (Commit, Tick)) else None


def _splits_in(splits: Any) -> Iterable[dict[str, Any]]:
    """The splits of a commit, or those of a restatement, which has them by source."""
    return [split for some in splits.values() for split in some] if isinstance(splits, dict) else splits


def entry_kind(body: Body) -> str:
    return next(kind for kind, body_type in _KINDS.items() if isinstance(body, body_type))


def entry_from_json(content: Any) -> Entry:
    """Raises HomeError if this is no entry that this version can read."""
    if not isinstance(content, dict):
        raise HomeError("log entry ? is not readable: it is no JSON object")
    number = content.get("n", "?")
    try:
        data = _FORMAT.read(content, number)
        head = decoded({name: data.pop(name, None) for name in ("n", "kind", "epoch", "time", "id")}, _Head)
        if head.kind not in _KINDS:
            raise TypeError(f"its kind is {head.kind[:100]!r}, which is unknown")
        return Entry(**vars(head), body=decoded(data, _KINDS[head.kind]))
    except TypeError as wrong:
        raise HomeError(f"log entry {number!r:.100} is not readable: {wrong}") from None


_FORMAT = Format("log entry", STEPS)
