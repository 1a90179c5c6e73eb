"""Backfill: computes the windows of an interval in batch, verifies published ones, and publishes where it is asked to.

A backfill takes no epoch: it appends `restate` entries for complete windows while the stream continues.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import DataError
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.mismatch import FAIL, REPAIR
from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.engine.archive import archive_of_source
from airflow_nrt.engine.archive.needed_pieces import Needed, needed_pieces
from airflow_nrt.engine.archive.source_archive import SourceArchive
from airflow_nrt.engine.backfill_checks import check_backfill, first_row
from airflow_nrt.engine.batch.batch import computed, same_rows, source_rows
from airflow_nrt.engine.batch.progress import ShownWindows, shown_tasks, span_of
from airflow_nrt.engine.dimensions.validities import provide_for_backfill
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.claiming import claim
from airflow_nrt.engine.publish.entry_notes import EntryNotes
from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.replaced.appending import append_restatement
from airflow_nrt.engine.replaced.keeping import Keeping
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.spark.tuning import Tasks, tune_for
from airflow_nrt.engine.verify.evidence import ReadRows, fired_rows, rows_read
from airflow_nrt.engine.verify.expected import on_time
from airflow_nrt.engine.verify.interval import Interval, complete_until
from airflow_nrt.engine.verify.unread import Unread, unread_of
from airflow_nrt.engine.verify.verify import Progress, verify
from airflow_nrt.engine.versions.early_and_late_results import with_state
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Entry, Published, Restate
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.log.history.row_semantics import plan_of_history
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.log.pins import Pin
from airflow_nrt.home.log.splits import Split, files_of, ranges_of
from airflow_nrt.home.notes.followers import following
from airflow_nrt.home.skipped import as_history_skips
from airflow_nrt.home.written.durable_files import make_durable
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE, LAST


@dataclass(frozen=True)
class BackfillResult:
    """`published` are the files that this backfill published; `verdict` is of the final state.

    `unread_files` had arrived and were not read by the stream: their rows are in no window of either.
    """

    published: tuple[Published, ...]
    verdict: Verdict | None
    notes: tuple[str, ...] = ()
    unread_files: int = 0
    unread_bytes: int = 0


@dataclass(frozen=True)
class _Work:
    """What windows of an interval are computed from: all that the log says up to the last entry of `history`.

    `notes` gets what its result has to say of that.
    """

    spark: SparkSession
    plan: Plan
    home: Home
    interval: Interval
    history: History
    say: Progress
    notes: list[str]
    by: Author
    unpin: bool = False

    @property
    def pins(self) -> list[Pin]:
        """The windows of the interval that a person has set."""
        start, end = self.span
        known = {one.name for one in self.plan.inserts}
        return [one for one in self.history.pins if one.insert in known and start < one.end <= end]

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the interval, which `check_backfill` has found to be closed."""
        assert self.interval.start is not None and self.interval.end is not None
        return self.interval.start, self.interval.end

    def as_of_now(self) -> _Work:
        """The same work with what the log says by now."""
        return replace(self, history=history_of(self.home.log(), self.plan))

    def as_read(self) -> Plan:
        """The plan by which the stream has read its rows; without a stream the plan as it is."""
        read = plan_of_history(self.plan, self.history) if self.history.is_streamed else self.plan
        return as_history_skips(read, self.history, self.home)


def _without_rejected(plan: Plan) -> Attempt:
    """Tables of rejected rows are left to the driver: no window waits for them."""
    rejected = {one.rejected_into.name for one in plan.sources if one.rejected_into is not None}

    def attempt(insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
        return insert.name not in rejected and at_once(insert, entry, action)

    return attempt


@dataclass(frozen=True)
class _Restatement:
    """Which windows are published, and why. `reason`, `cause` and `suspects` are as in `Restate`.

    `only` are ends of windows by insert; None: all of the interval. Those in `spared` stay as they are.
    """

    reason: str
    only: Mapping[str, set[int]] | None = None
    suspects: Mapping[str, int] = field(default_factory=dict)
    cause: str = ""
    spared: Mapping[str, set[int]] = field(default_factory=dict)

    def leaves_out(self, insert: str) -> bool:
        """Whether no window of this insert is among them."""
        return self.only is not None and not self.only.get(insert, set()) - self.spared.get(insert, set())

    def has(self, insert: str, end: int) -> bool:
        is_asked = self.only is None or end in self.only.get(insert, set())
        return is_asked and end not in self.spared.get(insert, set())

    def among(self, insert: str, frame: DataFrame) -> DataFrame:
        """Those of the rows that are of its windows."""
        if self.only is not None:
            frame = frame.where(frame[WINDOW_END].isin(sorted(self.only[insert])))
        spared = self.spared.get(insert)
        return frame.where(~frame[WINDOW_END].isin(sorted(spared))) if spared else frame

    def sparing(self, pins: Iterable[Pin]) -> _Restatement:
        return replace(self, spared=_ends_of(pins))


def _ends_of(pins: Iterable[Pin]) -> dict[str, set[int]]:
    """Ends of windows by insert."""
    ends: dict[str, set[int]] = {}
    for one in pins:
        ends.setdefault(one.insert, set()).add(one.end)
    return ends


def backfill(
    spark: SparkSession,
    plan: Plan,
    home: Home,
    interval: Interval,
    check: bool,
    on_mismatch: str = FAIL,
    say: Progress = lambda text: None,
    by: Author | None = None,
    unpin: bool = False,
) -> BackfillResult:
    """Computes windows with `start < end of window <= end` in batch.

    Without `check` they are published, and replace published windows. With `check` published windows are verified. If
    no stream ever ran, windows that were never published are published before. If a difference is unexplained, `repair`
    publishes the batch result of all windows that are not equal. Windows that a person has set stay as they are, unless
    `unpin` is asked for: then what is published replaces them, too.

    The log says who did it: `by` default the user of this process. Raises InputError, before anything is written, as
    `check_backfill` does.
    """
    notes = check_backfill(plan, home, interval)
    by = by or Author.of_process("backfill")
    with following(home, "a backfill"):
        history = history_of(home.log(), plan)
        work = _Work(report_session(spark, plan), plan, home, interval, history, say, notes, by, unpin)
        return _backfilled(spark, work, check, on_mismatch)


def _backfilled(spark: SparkSession, work: _Work, check: bool, on_mismatch: str) -> BackfillResult:
    plan, home, interval, notes, session, say = work.plan, work.home, work.interval, work.notes, work.spark, work.say
    streamed = work.history.is_streamed
    for insert in plan.inserts:
        claim(session, home, insert)
    roll_forward(session, home, plan, home.log(), beside_driver=True, attempt=_without_rejected(plan))
    if not check:
        published = _restate(work, _Restatement("backfill"))
        unread = unread_of(plan, work.history, session) if streamed else Unread((), {})
        return BackfillResult(tuple(published), None, (*notes, *unread.notes), len(unread.splits), unread.size)
    published = [] if streamed else _restate(work, _new(work))
    verdict = verify(spark, plan, home, interval, say=say)
    if on_mismatch == REPAIR and (not verdict.is_proven or (work.unpin and work.pins)):
        say("repairing: publishing the batch result of the windows that are not equal")
        work = work.as_of_now()
        published += _restate(work, _repair(work, verdict))
        verdict = verify(spark, plan, home, interval, say=say)
    return BackfillResult(tuple(published), verdict, tuple(notes), verdict.unread_files, verdict.unread_bytes)


def _repair(work: _Work, verdict: Verdict) -> _Restatement:
    """The windows that are not equal to the batch, if something is unexplained; and those that are unpinned."""
    only = {} if verdict.is_proven else {one.insert: set(one.unequal_ends) for one in verdict.inserts}
    for name, ends in _ends_of(work.pins).items() if work.unpin else ():
        only.setdefault(name, set()).update(ends)
    found = "" if verdict.is_proven else f" found {_unexplained(verdict)}"
    cause = f"the verification as of log entry {verdict.entry}{found or ', to unpin windows'}"
    return _Restatement("repair", only, _suspects(work.plan, work.history, verdict), cause)


def _unexplained(verdict: Verdict) -> str:
    counts = f"{counted(verdict.unexplained, 'unexplained window')} of {verdict.windows:,}"
    return counts if not verdict.problems else f"{counts}, and {counted(len(verdict.problems), 'problem')}"


def _new(work: _Work) -> _Restatement:
    """Without a stream so far: the windows of the interval that no backfill has published yet."""
    # By the log, not by the sinks: printed windows leave nothing in a sink.
    standing = {(one.insert, one.end) for entry in past_results(work.home.log()) for one in entry.published}
    if not standing:
        return _Restatement("backfill")
    only = {}
    for insert in work.plan.inserts:
        assert insert.window is not None
        ends = insert.window.ends_between(*work.span)
        only[insert.name] = {end for end in ends if (insert.name, end) not in standing}
    return _Restatement("backfill", only)


def _needed(
    work: _Work, archives: Mapping[str, SourceArchive], fresh: Mapping[str, Sequence[Split]]
) -> dict[str, Needed]:
    """The pieces, of the archive or of what has arrived, that can have rows of the interval's windows."""
    plan, interval = work.plan, work.interval
    assert interval.start is not None and interval.end is not None
    needed: dict[str, Needed] = {}
    for source in plan.sources:
        name = source.name
        start, end = first_row(plan, name, interval.start), plan.rows_until(interval.end)
        if start is None or plan.updated_by(name) or plan.is_read_by_clock(name):
            needed[name] = Needed(archives[name].pieces if name in archives else fresh[name])
        elif name in archives:
            needed[name] = archives[name].between(work.spark, start, end)
        else:
            time = partition_time(source.table, source.zone)
            needed[name] = needed_pieces(work.spark, source, time, fresh[name], start, end)
    return needed


# ---------------------------------------------------------------------------------------------------- restating


def _restate(work: _Work, what: _Restatement) -> list[Published]:
    """Publishes the batch result of these windows.

    The batch is over the rows that the stream has read and not rejected; without a stream, over all rows.
    """
    work = replace(work, plan=work.as_read())
    if not work.unpin:
        what = what.sparing(work.pins)
        work.notes.extend(f"{pin.insert}: {_left(work.plan, pin)}" for pin in work.pins)
    spark, plan, home, history = work.spark, work.plan, work.home, work.history
    streamed = history.is_streamed
    known = {one.name: archive_of_source(plan, one, history, home) for one in plan.sources}
    archives = {name: archive for name, archive in known.items() if streamed or not archive.knows_arrival}
    fresh = {one.name: arrived(spark, one.table) for one in plan.sources if one.name not in archives}
    asked = _needed(work, archives, fresh)
    for name, some in asked.items():
        work.notes.extend(one for one in some.notes(plan.source(name)) if one not in work.notes)
        if some.left_out:
            work.say(f"source {name}: {counted(len(some.pieces), 'file')}, {some.left_out} left out: no row in windows")
    needed = {name: some.pieces for name, some in asked.items()}
    tasks = tune_for(spark, [split for splits in needed.values() for split in splits])
    read = {name: _streamed(work, archive, name, needed[name], tasks) for name, archive in archives.items()}
    unread = {n: source_rows(spark, plan, n, splits, None, tasks) for n, splits in needed.items() if n not in read}
    staged: list[Published] = []
    fitting = Fitting(spark, home)
    noting = EntryNotes(spark, home, fitting)
    noting.begin()
    newest = provide_for_backfill(spark, plan, home, history)
    for insert in plan.inserts:
        if what.leaves_out(insert.name):
            continue
        fired = {n: on_time(fired_rows(plan, insert, history, one.frame, history.entry)) for n, one in read.items()}
        frame = computed(plan, insert, same_rows({**unread, **fired}), *work.span, tasks)
        frame = with_state(insert, what.among(insert.name, frame), _final_state(insert, history))
        with shown_tasks(spark, f"{insert.name}, computing", work.say):
            made = list(_staged(work, fitting, insert, frame, tasks))
        staged += made
        work.say(f"{insert.name}: {counted(len(made), 'window')} of {span_of(*work.span)} computed")
    for one in read.values():
        one.kept.unpersist()
    removed = tuple(_void(work, what, staged))
    read_here = {name: needed[name] for name in fresh}
    files = {name: files_of(splits) for name, splits in read_here.items()}
    ranges = {name: found for name, splits in read_here.items() if (found := ranges_of(splits))}
    body = Restate(
        tuple(staged), removed, what.reason, dict(what.suspects), history.entry, files, ranges, newest,
        by=work.by, cause=what.cause, unpinned=_unpinned(work, what),
    )  # fmt: skip
    make_durable(home, staged)
    keep = Keep.of(plan).versions
    keeping = Keeping(spark, plan, home, history.published, keep, tasks, _without_rejected(plan), work.notes)
    entry = append_restatement(home.log(), body, keeping)
    work.notes.extend(noting.write(None))
    publish_entry(spark, home, plan, entry, ShownWindows(len(entry.published), work.say))
    keeping.note_new(entry)
    work.say(f"{counted(len(entry.published), 'window')} published (100 %)")
    if len(entry.published) < len(staged):
        newer = counted(len(staged) - len(entry.published), "window")
        work.say(f"{newer} left as the stream has published a newer version")
    return list(entry.published)


def _left(plan: Plan, pin: Pin) -> str:
    """What is said of a window that stays as a person has set it."""
    window = plan.insert(pin.insert).window
    start = format_instant(None if window is None else window.start(pin.end))
    return f"window [{start}, {format_instant(pin.end)}) is left as it is, {pin} (--unpin publishes over it)"


def _unpinned(work: _Work, what: _Restatement) -> dict[str, tuple[int, ...]]:
    """The windows whose pins this restatement ends, by insert."""
    if not work.unpin:
        return {}
    ends = _ends_of(pin for pin in work.pins if what.has(pin.insert, pin.end))
    return {name: tuple(sorted(some)) for name, some in ends.items()}


def _staged(work: _Work, fitting: Fitting, insert: Insert, frame: DataFrame, tasks: Tasks) -> Iterator[Published]:
    """The windows of an insert, staged. One that stands with the same rows is staged as it stands."""
    sink, home, published = sink_of(insert), work.home, work.history.published
    directory = home.staged.local / f"restate-{uuid.uuid4().hex}"

    def stage(fit: DataFrame) -> Iterable[Published]:
        return sink.stage(fit, insert, directory, "restated", tasks.count)

    staged, left_out = fitting.stage(insert, frame, stage)
    if left_out:
        work.notes.append(f"{insert.name}: {counted(left_out, 'row')} left out, which its table can't take")
    for made in staged:
        standing = published.get((insert.name, made.target))
        yield made if standing is None else sink.restaged(home, insert, made, standing)


def _final_state(insert: Insert, history: History) -> str:
    """SQL of the state of restated windows: `last`, unless the stream may still update them.

    IF(_nrt_end <= 1718705400000L, 'last', 'complete')
    """
    if not insert.timing.late_updates:
        return string_literal(COMPLETE)
    fired = (
        [history.position.operators[name].fired for name in insert.operators] if history.is_streamed else [END_OF_TIME]
    )
    over = min(-END_OF_TIME if at is None else at for at in fired)
    return f"IF({WINDOW_END} <= {over}L, {string_literal(LAST)}, {string_literal(COMPLETE)})"


def _streamed(work: _Work, archive: SourceArchive, source: str, pieces: Sequence[Split], tasks: Tasks) -> ReadRows:
    """The rows that the stream has read. Raises DataError if some of them are gone: windows would be wrong."""
    read = rows_read(work.spark, work.plan, archive, source, work.history, pieces, tasks)
    if read.lacking:
        raise DataError(f"can't compute windows again: {'; '.join(read.problems[:5])}")
    return read


def _void(work: _Work, what: _Restatement, staged: Sequence[Published]) -> list[str]:
    """The published files of these windows for which the batch has no row."""
    # A driver may have added an insert to the home meanwhile.
    known = {one.name for one in work.plan.inserts}
    made = {(one.insert, one.target) for one in staged}
    start, end = work.span
    void = []
    for (insert, target), one in work.history.published.items():
        stands = bool(target) and insert in known and (insert, target) not in made
        if stands and one.end is not None and start < one.end <= end and what.has(insert, one.end):
            void.append(f"{insert}/{target}")
    return void


def _suspects(plan: Plan, history: History, verdict: Verdict) -> dict[str, int]:
    """Operators whose state is in doubt, because a window that differs has the same start as future windows."""
    suspects: dict[str, int] = {}
    for one in verdict.inserts:
        insert: Insert = plan.insert(one.insert)
        if insert.window is None:
            continue
        fired = complete_until(plan, history, insert.operators[0])
        for bad in one.bad:
            if bad.end is None:
                continue
            last = insert.window.last_end(bad.end)
            if fired is not None and last > fired:
                suspects.update({name: max(last, suspects.get(name, last)) for name in insert.operators})
    return suspects
