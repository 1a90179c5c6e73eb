"""Backfill: computes the windows of an interval in batch, verifies published ones, and publishes where it is asked to.

A backfill takes no epoch: it appends `restate` entries for complete windows while the stream continues.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.mismatch import FAIL, REPAIR
from airflow_nrt.describe.verdict import Verdict, not_before
from airflow_nrt.engine.archive import archive_of_source
from airflow_nrt.engine.archive.needed_pieces import Needed, needed_pieces
from airflow_nrt.engine.archive.source_archive import SourceArchive
from airflow_nrt.engine.batch.batch import computed, same_rows, source_rows
from airflow_nrt.engine.batch.progress import ShownWindows, shown_tasks, span_of
from airflow_nrt.engine.dimensions.validities import provide_for_backfill
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.entry_notes import EntryNotes
from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.spark.tuning import Tasks, tune_for
from airflow_nrt.engine.time.future import FURTHEST_ZONE
from airflow_nrt.engine.verify.evidence import ReadRows, fired_rows, rows_read
from airflow_nrt.engine.verify.expected import on_time
from airflow_nrt.engine.verify.interval import Interval, complete_until, not_provable_until
from airflow_nrt.engine.verify.unread import Unread, unread_of
from airflow_nrt.engine.verify.verify import Progress, verify
from airflow_nrt.engine.versions.early_and_late_results import with_state
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published, Restate
from airflow_nrt.home.log.history.arithmetic import check_arithmetic
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.log.history.row_semantics import plan_of_history
from airflow_nrt.home.log.log import EntryTaken, Log
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.log.splits import Split, files_of, ranges_of
from airflow_nrt.home.notes.followers import following
from airflow_nrt.home.skipped import as_history_skips
from airflow_nrt.home.written.durable_files import make_durable
from airflow_nrt.model.archive import partition_time as archive_time
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.options.known import KEEP, source_option
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.result_timing import COMPLETE, LAST
from airflow_nrt.model.zones import is_skipped


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
    """Which windows are published, and why. `reason` and `suspects` are as in `Restate`.

    `only` are ends of windows by insert; None: all of the interval.
    """

    reason: str
    only: Mapping[str, set[int]] | None = None
    suspects: Mapping[str, int] = field(default_factory=dict)

    def leaves_out(self, insert: str) -> bool:
        """Whether no window of this insert is among them."""
        return self.only is not None and not self.only.get(insert)

    def has(self, insert: str, end: int) -> bool:
        return self.only is None or end in self.only.get(insert, set())


def backfill(
    spark: SparkSession,
    plan: Plan,
    home: Home,
    interval: Interval,
    check: bool,
    on_mismatch: str = FAIL,
    say: Progress = lambda text: None,
) -> BackfillResult:
    """Computes windows with `start < end of window <= end` in batch.

    Without `check` they are published, and replace published windows. With `check` published windows are verified. If
    no stream ever ran, windows that were never published are published before. If a difference is unexplained, `repair`
    publishes the batch result of all windows that are not equal.

    Raises InputError, before anything is written, as `check_backfill` does.
    """
    with following(home, "a backfill"):
        return _backfilled(spark, plan, home, interval, check, on_mismatch, say)


def _backfilled(
    spark: SparkSession, plan: Plan, home: Home, interval: Interval, check: bool, on_mismatch: str, say: Progress
) -> BackfillResult:
    notes = check_backfill(plan, home, interval)
    session = report_session(spark, plan)
    work = _Work(session, plan, home, interval, history_of(home.log(), plan), say, notes)
    streamed = work.history.is_streamed
    for insert in plan.inserts:
        sink_of(insert).check(session, home, insert)
    roll_forward(session, home, plan, home.log(), beside_driver=True, attempt=_without_rejected(plan))
    if not check:
        published = _restate(work, _Restatement("backfill"))
        unread = unread_of(plan, work.history, session) if streamed else Unread((), {})
        return BackfillResult(tuple(published), None, (*notes, *unread.notes), len(unread.splits), unread.size)
    published = [] if streamed else _restate(work, _new(work))
    verdict = verify(spark, plan, home, interval, say=say)
    if not verdict.is_proven and on_mismatch == REPAIR:
        say("repairing: publishing the batch result of the windows that are not equal")
        work = work.as_of_now()
        only = {one.insert: set(one.unequal_ends) for one in verdict.inserts}
        published += _restate(work, _Restatement("repair", only, _suspects(plan, work.history, verdict)))
        verdict = verify(spark, plan, home, interval, say=say)
    return BackfillResult(tuple(published), verdict, tuple(notes), verdict.unread_files, verdict.unread_bytes)


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


# ---------------------------------------------------------------------------------------------------- checks


def check_backfill(plan: Plan, home: Home, interval: Interval) -> list[str]:
    """Checks a backfill into a home, which may not exist yet; gives notes about missing partitions.

    Raises InputError for inserts without windows, for windows over processing time if no stream ran, for an interval
    that is empty or has windows that are not complete, and for missing partitions.
    """
    for insert in plan.inserts:
        if not insert.operators:
            raise InputError(f"{insert.name} has no windows: a backfill publishes windows")
    history = history_of(home.log(), plan) if home.report_file.exists() else History()
    check_arithmetic(plan, history.position)
    if plan.waits_for_clock and not history.is_streamed:
        raise InputError(
            "windows over processing time hold the rows that a stream absorbed meanwhile, and no stream has run here: "
            "run it first, or use a rowtime"
        )
    _check_interval(plan, history, interval)
    return [note for source in plan.sources for note in _missing_partitions(plan, source, interval)]


def _check_interval(plan: Plan, history: History, interval: Interval) -> None:
    """Raises InputError if the interval is open, has no window, or has windows that are not complete."""
    end = interval.end
    if interval.start is None or end is None:
        raise InputError("a backfill needs a start and an end")
    for operator in plan.operators:
        interval.check_windows_of(operator)
        known = not_provable_until(plan, history, operator.name)
        if interval.start < known:
            way_out = "" if known >= END_OF_TIME else "begin it there, or "
            raise InputError(
                f"the interval begins at {format_instant(interval.start)}, and the windows of {operator.window} "
                f"{not_before({operator.name: known})}, so they can't be computed again: {way_out}backfill into a new "
                f"home. A report that needs more keeps its entries longer ('{KEEP}')"
            )
        fired = complete_until(plan, history, operator.name)
        if history.is_streamed and (fired is None or end > fired):
            raise InputError(
                f"the windows of {operator.window} are complete only up to {format_instant(fired)}, the interval "
                f"reaches to {format_instant(end)}: end it there, or wait for the stream"
            )
        changelog = next((insert.name for insert in plan.fed_by(operator.name) if insert.emits_changes), None)
        final = history.position.operators[operator.name].fired if history.is_streamed else END_OF_TIME
        if changelog is not None and (final is None or end > final):
            raise InputError(
                f"the windows of {operator.window} have their last version only up to {format_instant(final)}, the "
                f"interval reaches to {format_instant(end)}: the stream still emits changes of later windows to "
                f"{changelog}. End it there, or wait for the stream"
            )
        if not history.is_streamed and end > now_ms() + FURTHEST_ZONE:
            raise InputError(f"the interval reaches to {format_instant(end)}, which is in the future")


def _missing_partitions(plan: Plan, source: Source, interval: Interval) -> list[str]:
    """Notes about partitions by event time that the interval needs and that do not exist. Raises InputError instead,
    unless the table allows that."""
    table, time = source.table, partition_time(source.table, source.zone)
    if source.archive is not None and not source.archive.written:
        table, time = source.archive.insert.sink, archive_time(source.archive)
    if (
        time is None
        or time.max_delay is not None
        or plan.is_read_by_clock(source.name)
        or interval.start is None
        or interval.end is None
    ):
        return []
    start = _first_row(plan, source.name, interval.start)
    if start is None:
        return []
    if start == -END_OF_TIME:
        # Sessions can begin at any time before the interval: existing partitions there are read, none is required.
        start = interval.start
    connector = source_of(table)
    there = (connector.partition(table, split) for split in arrived(None, table))
    present = {time.time_of(values) for values in there if time.is_of_time(values)}
    missing = [
        format_instant(at)
        for at in time.expected(start, interval.end)
        if at not in present and not (is_skipped(at, source.zone) and is_skipped(at + time.length - 1, source.zone))
    ]
    if not missing:
        return []
    listed = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    if source_option(table.options, "partition.missing") == "fail":
        raise InputError(
            f"table {table.name!r} has no partition for {listed}. If there were no rows then, set "
            "'partition.missing' = 'ignore': the windows are computed from the partitions that exist"
        )
    return [f"table {table.name!r} has no partition for {listed}: computed without"]


def _first_row(plan: Plan, source: str, after: int) -> int | None:
    """The earliest rowtime of this source in any window that ends after `after`; None if no window holds its rows."""
    firsts = [plan.first_rows(operator.name, after) for operator in plan.operators]
    return min((first[source] for first in firsts if source in first), default=None)


def _needed(
    work: _Work, archives: Mapping[str, SourceArchive], fresh: Mapping[str, Sequence[Split]]
) -> dict[str, Needed]:
    """The pieces, of the archive or of what has arrived, that can have rows of the interval's windows."""
    plan, interval = work.plan, work.interval
    assert interval.start is not None and interval.end is not None
    needed: dict[str, Needed] = {}
    for source in plan.sources:
        name = source.name
        start, end = _first_row(plan, name, interval.start), plan.rows_until(interval.end)
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
        if what.only is not None:
            frame = frame.where(frame["_nrt_end"].isin(sorted(what.only[insert.name])))
        frame = with_state(insert, frame, _final_state(insert, history))
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
    body = Restate(tuple(staged), removed, what.reason, dict(what.suspects), history.entry, files, ranges, newest)
    make_durable(home, staged)
    entry = append_restatement(home.log(), body)
    work.notes.extend(noting.write(None))
    publish_entry(spark, home, plan, entry, ShownWindows(len(entry.published), work.say))
    work.say(f"{counted(len(entry.published), 'window')} published (100 %)")
    if len(entry.published) < len(staged):
        newer = counted(len(staged) - len(entry.published), "window")
        work.say(f"{newer} left as the stream has published a newer version")
    return list(entry.published)


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


def append_restatement(log: Log, body: Restate) -> Entry:
    """Appends a restatement after all other entries, also those that are written meanwhile.

    It leaves out the places that the stream has published or removed since the entry that it is as of: these are newer.
    """
    while True:
        log.refresh()
        later = [entry for entry in log.entries(body.as_of + 1) if entry.epoch is not None]
        newer = {f"{one.insert}/{one.target}" for entry in later for one in entry.published}
        newer |= {target for entry in later for target in entry.removed}
        published = tuple(one for one in body.published if f"{one.insert}/{one.target}" not in newer)
        removed = tuple(target for target in body.removed if target not in newer)
        try:
            return log.append(replace(body, published=published, removed=removed), None)
        except EntryTaken:
            continue


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
