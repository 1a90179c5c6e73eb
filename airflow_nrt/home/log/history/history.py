"""The history of a log: what was read when, what was published last, which watermarks each batch used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from airflow_nrt.basics.instants import format_reached
from airflow_nrt.home.log.checkpoint import Beginning
from airflow_nrt.home.log.closed_directories import Directories, note_closed
from airflow_nrt.home.log.entries import (
    Commit,
    Entry,
    Fill,
    Lease,
    OperatorState,
    Position,
    Published,
    Restate,
    SourceState,
    Tick,
)
from airflow_nrt.home.log.history.archived_files import note_archived
from airflow_nrt.home.log.history.skipped_rows import unread
from airflow_nrt.home.log.pins import Pin, pins_after
from airflow_nrt.home.log.position.partition_watermarks import proposed, with_parts, with_proposals
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.home.log.position.watermarks import operator_watermark, with_clock
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of, without_ranges
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.row_semantics import ROW_SEMANTICS
from airflow_nrt.model.skipped_row import SkippedRow

WindowKey = tuple[str, int | None, str]
"""Insert, end of the window (None: no window), and the file's place below the sink."""


@dataclass
class History:
    """`batches` are the commits by entry number, `before` the states of sources before each of them, `ticks` the
    entries that let windows fire; `published` are the current results in the sinks, by insert and place.

    `as_of` is the last entry whose rows a restatement used, for what it published; `joined_with` are the versions of
    dimension tables that it used for all rows, if any. `backfilled` are splits that a backfill read, by source and
    name.

    With a floor, all that is of the entries above. `beginning` is what is left of those below, and `read_below` are the
    splits that these have read, by source.
    """

    entry: int = -1
    batches: dict[int, Commit] = field(default_factory=dict)
    ticks: list[int] = field(default_factory=list)
    before: dict[int, Mapping[str, SourceState]] = field(default_factory=dict)
    published: dict[tuple[str, str], Published] = field(default_factory=dict)
    times: dict[tuple[str, str], int] = field(default_factory=dict)
    entries: dict[tuple[str, str], int] = field(default_factory=dict)
    """The entry that published each, by insert and place."""
    as_of: dict[tuple[str, str], int] = field(default_factory=dict)
    fired: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """By operator and firing, the end up to which windows fired, and the processing time (ms)."""
    versions: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    """By entry of the stream that names versions of dimension tables, its processing time (ms) and these versions."""
    joined_with: dict[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    backfilled: dict[str, dict[str, Split]] = field(default_factory=dict)
    position: Position = field(default_factory=Position)
    archived: dict[tuple[str, str], frozenset[int]] = field(default_factory=dict)
    """The entries whose rows a file of an archive has, by insert and place."""
    absorbed: dict[int, Mapping[str, Partials]] = field(default_factory=dict)
    """By batch and operator, the partials of its rows in time. A batch that fired its own windows left none, and is not
    here."""
    problems: list[str] = field(default_factory=list)
    restated: int = 0
    backfill_semantics: int = ROW_SEMANTICS
    """The row semantics of the last backfill that has read splits."""
    input_policies: dict[int, Mapping[str, Mapping[str, str]] | None] = field(default_factory=dict)
    """By batch, the input policies of its driver, None of one of an earlier version."""
    skipped: dict[str, tuple[SkippedRow, ...]] = field(default_factory=dict)
    """The rows that drivers have left out, by source."""
    beginning: Beginning = field(default_factory=Beginning)
    read_below: Mapping[str, tuple[Split, ...]] = field(default_factory=dict)
    closed: dict[str, set[str]] = field(default_factory=dict)
    """The directories that are closed, by source (`closed_directories.py`)."""
    pins: tuple[Pin, ...] = ()

    @property
    def is_streamed(self) -> bool:
        """Whether a stream has ever read anything."""
        return bool(self.batches) or any(one.files for one in self.beginning.state.position.sources.values())

    def known_splits(self, source: str) -> list[Split]:
        """All splits of a source that nobody has to read again, also those whose entries are removed."""
        return [*self.read_below.get(source, ()), *self.splits(source)]

    def splits(self, source: str) -> list[Split]:
        """All splits of a source that were read: those of batches in the order of reading, then the others."""
        of_batches = [split for commit in self.batches.values() if commit.source == source for split in commit.splits]
        return of_batches + self._only_backfilled(source, of_batches)

    def _only_backfilled(self, source: str, of_batches: Iterable[Split]) -> list[Split]:
        """What only backfills have read: files by their names, ranges by their offsets."""
        names, read = {split.name for split in of_batches}, list(ranges_of(of_batches))
        found: list[Split] = []
        for name, split in self.backfilled.get(source, {}).items():
            if isinstance(split, SourceRange):
                left = without_ranges(split, read)
                read += left
                found += left
            elif name not in names:
                found.append(split)
        return found

    def skipped_after(self, source: str, asked: Iterable[SkippedRow]) -> tuple[SkippedRow, ...]:
        """The rows that are left out of a source, from a driver on that was asked for these.

        What a batch has read stays as it was read: left out, or not. No batch reads a split again.
        """
        known = self.skipped.get(source, ())
        if not known and not asked:
            return ()
        read = [split for commit in self.batches.values() if commit.source == source for split in commit.splits]
        still_unread = unread((*known, *asked), read)
        kept = (row for row in known if row not in still_unread)
        return (*kept, *(row for row in asked if row in still_unread))

    def batch_of(self, source: str) -> dict[str, int]:
        """The entry that read each split, by name."""
        batches = [(n, commit) for n, commit in self.batches.items() if commit.source == source]
        return {split.name: n for n, commit in batches for split in commit.splits}

    def unfired_batch(self, operators: Iterable[str], entry: int) -> int | None:
        """The batch whose results one of these operators had not fired yet at this entry, None if there was none.

        For SESSION and OVER, where a row can be in time for a slot that has fired: a driver fires after each batch.
        """
        last = self.open_batch(entry)
        if last is None:
            return None
        states = self.batches[last].position.operators
        return last if any(_is_due(states[name]) for name in operators) else None

    def open_batch(self, entry: int) -> int | None:
        """The batch after which nothing has been published yet at this entry, None if there is none."""
        last = max((n for n in (*self.batches, *self.ticks) if n <= entry), default=-1)
        return last if last in self.batches else None

    def watermarks_before(self, source: str) -> dict[int, int | None]:
        """The watermark of a source before each batch, by the entry that committed it."""
        batches = (n for n, commit in self.batches.items() if commit.source == source)
        return {n: self.before[n].get(source, SourceState()).watermark for n in batches}

    def entries_of(self, insert: str) -> dict[int | None, int]:
        """The entry that published the last version of each window of an insert, by its end (None: without windows)."""
        found: dict[int | None, int] = {}
        for (name, target), published in self.published.items():
            if name == insert:
                found[published.end] = max(found.get(published.end, -1), self.entries[name, target])
        return found

    def pins_of(self, insert: str) -> dict[int, Pin]:
        """The windows of an insert that a person has set, by their ends."""
        return {one.end: one for one in self.pins if one.insert == insert}

    def has_unread(self, source: str) -> bool:
        """Whether a backfill read splits that the stream has not read yet."""
        of_batches = [split for commit in self.batches.values() if commit.source == source for split in commit.splits]
        return bool(self.batches) and bool(self._only_backfilled(source, of_batches))

    def changing(self, insert: str) -> set[int]:
        """The windows of an insert for which rows have come since their last version."""
        versions = self.position.versions.get(insert)
        return set(versions.rows) if versions is not None else set()

    def late_claimed(self, operator: str) -> int:
        """Rows that the ledger claims to have been late for an operator."""
        return sum(one.late for commit in self.batches.values() for one in commit.late if one.operator == operator)


def _is_due(state: OperatorState) -> bool:
    return state.watermark is not None and bool(Partials(state.rows).begun_by(state.watermark + 1).files)


def read_history(
    entries: Iterable[Entry],
    plan: Plan,
    beginning: Beginning | None = None,
    below: Mapping[str, tuple[Split, ...]] = MappingProxyType({}),
    closed_below: Directories = MappingProxyType({}),
) -> History:
    """Folds the log. Statements that contradict the log itself are `problems`."""
    beginning = beginning or Beginning()
    history = History(
        entry=beginning.state.entry,
        position=beginning.state.position,
        restated=beginning.state.restatements,
        beginning=beginning,
        pins=beginning.state.pins,
        read_below=below,
        closed={source: {*names} for source, names in closed_below.items()},
    )
    input_policies = None
    if beginning.lease is not None:
        input_policies = beginning.lease.input_policies
        _note_skipped(history, beginning.lease.skipped)
    for entry in entries:
        history.entry = entry.n
        for published in entry.published:
            history.published[(published.insert, published.target)] = published
            history.times[(published.insert, published.target)] = entry.time
            history.entries[(published.insert, published.target)] = entry.n
            history.as_of.pop((published.insert, published.target), None)
            history.joined_with.pop((published.insert, published.target), None)
        if isinstance(entry.body, Commit):
            _check_commit(history, entry.n, entry.body, plan)
            history.batches[entry.n] = entry.body
            history.input_policies[entry.n] = input_policies
            history.before[entry.n] = history.position.sources
            _note_absorbed(history, entry.n, entry.body.position)
        elif isinstance(entry.body, Restate):
            history.restated += 1
            history.as_of.update({(one.insert, one.target): entry.body.as_of for one in entry.published})
            if entry.body.dimensions:
                targets = ((one.insert, one.target) for one in entry.published)
                history.joined_with.update(dict.fromkeys(targets, entry.body.dimensions))
            for source in (*entry.body.files, *entry.body.ranges):
                splits = entry.body.splits(source)
                history.backfilled.setdefault(source, {}).update({split.name: split for split in splits})
                history.backfill_semantics = entry.body.row_semantics
        elif isinstance(entry.body, Tick):
            history.ticks.append(entry.n)
        elif isinstance(entry.body, Fill):
            _note_filled(history, entry.body)
        elif isinstance(entry.body, Lease):
            input_policies = entry.body.input_policies
            _note_skipped(history, entry.body.skipped)
        history.pins = pins_after(history.pins, entry)
        note_archived(history.archived, entry)
        note_closed(history.closed, entry)
        for target in entry.removed:
            insert, _, path = target.partition("/")
            history.published.pop((insert, path), None)
        if isinstance(entry.body, (Commit, Tick)):
            _check_watermarks(history, entry.n, entry.body, plan)
            _note_firings(history, entry.body, plan)
            if entry.body.dimensions:
                history.versions.append((entry.body.clock, entry.body.dimensions))
            history.position = entry.body.position
    return history


def _note_skipped(history: History, asked: Mapping[str, tuple[SkippedRow, ...]]) -> None:
    for source in {**history.skipped, **asked}:
        history.skipped[source] = history.skipped_after(source, asked.get(source, ()))


def _note_absorbed(history: History, n: int, after: Position) -> None:
    """What a batch has added to the state that its operators had before."""
    before = {name: history.position.operators.get(name, OperatorState()) for name in after.operators}
    if any(state.fired != before[name].fired for name, state in after.operators.items()):
        return
    known = {file.path for state in before.values() for file in state.rows}
    history.absorbed[n] = {
        name: Partials(tuple(file for file in state.rows if file.path not in known))
        for name, state in after.operators.items()
    }


def _note_filled(history: History, fill: Fill) -> None:
    """Filled windows were computed when those of the twin were."""
    twins = {one.end: key for key, one in history.published.items() if one.insert == fill.twin}
    for key, twin in (((one.insert, one.target), twins.get(one.end)) for one in fill.published):
        if twin in history.as_of:
            history.as_of[key] = history.as_of[twin]
        if twin in history.joined_with:
            history.joined_with[key] = history.joined_with[twin]


def _note_firings(history: History, body: Commit | Tick, plan: Plan) -> None:
    for name in plan.clocked:
        before, after = (of.operators.get(name, OperatorState()).fired for of in (history.position, body.position))
        if after is not None and after != before:
            history.fired.setdefault(name, []).append((after, body.clock))


def _check_commit(history: History, n: int, commit: Commit, plan: Plan) -> None:
    """The watermark that decided lateness must be the one before the batch."""
    for operator, used in commit.seen.items():
        before = history.position.operators.get(operator)
        valid = before.watermark if before is not None else None
        if used != valid:
            history.problems.append(
                f"log entry {n}: operator {operator} judged lateness by watermark {format_reached(used)}, "
                f"it stood at {format_reached(valid)}"
            )


def _check_watermarks(history: History, n: int, body: Commit | Tick, plan: Plan) -> None:
    """An operator's watermark must follow from those of its sources, and from the clock."""
    before, after = history.position, body.position
    for name, source in after.sources.items():
        old_state = before.sources.get(name, SourceState())
        past = proposed(body.splits, {}) if isinstance(body, Commit) and body.source == name else {}
        least = (with_proposals(old_state, past) if past else with_parts(old_state, source.parts)).watermark
        if source.parts and source.watermark != least:
            history.problems.append(
                f"log entry {n}: source {name} stands at watermark {format_reached(source.watermark)}, "
                f"but its parts make it {format_reached(least)}"
            )
    sources = with_clock(after.sources, body.clock)
    for operator in plan.operators:
        state, old = after.operators.get(operator.name), before.operators.get(operator.name)
        follows = operator_watermark(
            old.watermark if old else None, sources, operator.clock, plan.zones, operator.delay, operator.waits
        )
        if state is not None and state.watermark != follows:
            history.problems.append(
                f"log entry {n}: operator {operator.name} stands at watermark {format_reached(state.watermark)}, "
                f"but its sources make it {format_reached(follows)}"
            )
