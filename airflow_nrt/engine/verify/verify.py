"""Proves that the stream published what the batch computes: late rows explain every difference, or it is an error.

A verification is as of a log entry. It reads exactly the files that entries up to it list, and compares the results in
the sinks with the batch over all these rows (B), and with the batch over the rows that counted (B|arr).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME, check_span, format_instant
from airflow_nrt.basics.spelling import bigint, quote
from airflow_nrt.describe.verdict import CLASSES, BadWindow, InsertVerdict, LedgerVerdict, Verdict
from airflow_nrt.engine.batch.batch import computed, same_rows
from airflow_nrt.engine.batch.progress import shown_tasks
from airflow_nrt.engine.dimensions.for_batch import given_versions, joined_with, provide_for_verification
from airflow_nrt.engine.functions import register_functions
from airflow_nrt.engine.past.of_source import is_kept_by_others, past_of
from airflow_nrt.engine.past.past import BACKFILL, ENTRY, Past
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.engine.sinks.table_past import PastCommit
from airflow_nrt.engine.sources import not_read
from airflow_nrt.engine.spark.frames import run_query
from airflow_nrt.engine.spark.tuning import Tasks, suit
from airflow_nrt.engine.verify.bad_windows import (
    bad_window,
    in_windows,
    samples_of,
    state_of,
    worst_of,
    wrong_ends,
)
from airflow_nrt.engine.verify.comparison import CLASS, Sides, classify, without
from airflow_nrt.engine.verify.evidence import (
    ReadRows,
    check_ledger,
    check_watermarks,
    fired_rows,
    rows_read,
    with_watermark,
)
from airflow_nrt.engine.verify.window_history import histories
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import OperatorState, Split
from airflow_nrt.home.log.history import History, read_history
from airflow_nrt.home.log.lacking import lacking
from airflow_nrt.home.log.verifiability import not_comparable
from airflow_nrt.home.notes.verdicts import keep_verdict
from airflow_nrt.home.visible import waiting
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Insert, Plan

Progress = Callable[[str], None]
SinkOf = Callable[[Insert], Sink]


@dataclass(frozen=True)
class Interval:
    """Windows with `start < end of window <= end`; None is open. Raises InputError if it is empty or reversed."""

    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        check_span(self.start, self.end)

    def check_windows_of(self, operator: WindowAggregate) -> None:
        """Raises InputError if no window of this operator ends in it."""
        if self.start is None or self.end is None or any(operator.window.ends_between(self.start, self.end)):
            return
        raise InputError(
            f"no window of {operator.window} ends after {format_instant(self.start)} and up to "
            f"{format_instant(self.end)}"
        )


@dataclass
class _Scene:
    """The inputs of a verification, which all inserts share."""

    spark: SparkSession
    plan: Plan
    home: Home
    history: History
    interval: Interval
    tasks: Tasks
    pasts: Mapping[str, Past]
    sources: dict[str, ReadRows]
    ledgers: list[LedgerVerdict]
    notes: list[str]
    unfilled: Mapping[str, set[int]]
    """The ends of windows that added tables lack."""


def verify(
    spark: SparkSession,
    plan: Plan,
    home: Home,
    interval: Interval = Interval(),
    published: Path | None = None,
    say: Progress = lambda text: None,
) -> Verdict:
    """Verifies complete windows of the interval; the home keeps the verdict.

    `published` is a copy of the sink's directory to verify instead; the home keeps nothing then.
    """
    if published is not None:
        return _verified(spark, plan, home, interval, lambda insert: sink_of(insert).at_copy(published), say)
    verdict = _verified(spark, plan, home, interval, sink_of, say)
    keep_verdict(home, verdict)
    return verdict


def _verified(
    spark: SparkSession, plan: Plan, home: Home, interval: Interval, sink_of: SinkOf, say: Progress
) -> Verdict:
    register_functions(spark, plan)
    log = home.log()
    history = read_history(log.entries(), plan)
    say(f"log read: {history.entry + 1} entries, {len(history.batches)} batches")
    problems = list(history.problems)
    notes = provide_for_verification(spark, plan, home, history)
    pasts = {source.name: past_of(source, history, home) for source in plan.sources}
    needed = {name: _needed(plan, history, interval, name, past) for name, past in pasts.items()}
    tasks = suit(spark, [split for splits in needed.values() for split in splits])
    scene = _Scene(spark, plan, home, history, interval, tasks, pasts, {}, [], notes, _unfilled(home, history))
    for source in plan.sources:
        past = pasts[source.name]
        read = rows_read(spark, plan, past, source.name, history, needed[source.name], tasks)
        scene.sources[source.name] = read
        problems += read.problems
        if not past.knows_arrival:
            notes.append(
                f"{source.name}: others fill its archive, which does not say when a row arrived: no difference is "
                "explained by late rows"
            )
        elif source.table.watermark is not None:
            problems += check_watermarks(history, source.name, read)
        if read.partial:
            notes.append(
                f"{source.name}: {len(read.partial)} batches have rows in files that are not read here, too: their "
                "watermarks, and their late rows in the ledger, are not checked"
            )
        say(f"source {source.name}: {len(needed[source.name])} files, watermarks follow from their rows")
    for operator in plan.operators:
        for name in operator.sources if all(pasts[name].knows_arrival for name in operator.sources) else ():
            scene.ledgers.append(check_ledger(home, history, layout_of(operator), name, scene.sources))
    say(f"late ledger checked: {sum(one.found for one in scene.ledgers)} late rows")
    inserts = []
    for insert in plan.inserts:
        if not connector_of(insert.sink).keeps_rows:
            notes.append(f"{insert.name}: what connector '{insert.sink.connector}' wrote can't be read back")
            continue
        unknown = not_comparable(plan, insert, history.position) or _without_arrival(scene, insert)
        if unknown is not None:
            notes.append(f"{insert.name}: {unknown}")
            continue
        with shown_tasks(spark, f"{insert.name}, comparing", say):
            verdict, foreign = _verify_insert(scene, insert, sink_of(insert))
        problems += foreign
        inserts.append(verdict)
        say(f"{insert.name}: {verdict.windows} windows compared ({len(inserts)} of {len(plan.inserts)} inserts)")
    for read in scene.sources.values():
        read.kept.unpersist()
    try:
        unread = unread_splits(plan, history, spark)
    except InputError as wrong:
        problems.append(str(wrong))
        unread = []
    return Verdict(
        report=plan.name,
        home=str(home.path),
        entry=history.entry,
        start=interval.start,
        end=interval.end,
        inserts=tuple(inserts),
        ledgers=tuple(one for one in scene.ledgers if one.claimed or one.found),
        problems=tuple(problems),
        unread_files=len(unread),
        unread_bytes=sum(split.size for split in unread),
        late_rows=sum(one.found for one in scene.ledgers),
        notes=tuple(notes),
    )


def check_interval(plan: Plan, history: History, interval: Interval) -> None:
    """Raises InputError if an interval was given and there is nothing to verify in it."""
    if not plan.operators or interval == Interval():
        return
    for operator in plan.operators:
        bounds = _bounds(plan, history, interval, operator)
        if bounds is not None and any(operator.window.ends_between(*bounds)):
            return
    first = plan.operators[0]
    interval.check_windows_of(first)
    fired = complete_until(plan, history, first.name)
    until = "none is yet" if fired is None else f"they are up to {format_instant(fired)}"
    raise InputError(f"no window of {first.window} in the interval is complete: {until}. Wait for the stream")


# ---------------------------------------------------------------------------------------------------- what to read


def complete_until(plan: Plan, history: History, operator: str) -> int | None:
    """The end up to which the windows of an operator are complete: they have fired, or a backfill published them."""
    if history.batches:
        return history.position.operators.get(operator, OperatorState()).complete_until
    inserts = {insert.name for insert in plan.fed_by(operator)}
    return max(
        (p.end for (name, _), p in history.published.items() if name in inserts and p.end is not None), default=None
    )


def _bounds(plan: Plan, history: History, interval: Interval, operator: WindowAggregate) -> tuple[int, int] | None:
    """(after, until) of the windows to compare; None if no window is complete."""
    fired = complete_until(plan, history, operator.name)
    after = -END_OF_TIME if interval.start is None else interval.start
    until = fired if interval.end is None else min(interval.end, fired if fired is not None else after)
    return None if until is None or until <= after else (after, until)


def _needed(plan: Plan, history: History, interval: Interval, name: str, past: Past) -> Sequence[Split]:
    """The pieces whose partition can hold rows of the windows to compare; all where partitions have no time."""
    if interval.start is None and interval.end is None:
        return past.pieces
    if plan.passing(name) or plan.updated_by(name) or plan.is_read_by_clock(name):
        return past.pieces
    bounds = [(operator.name, _bounds(plan, history, interval, operator)) for operator in plan.operators]
    reached = [(plan.first_rows(operator, b[0]), b[1]) for operator, b in bounds if b is not None]
    spans = [(firsts[name], until) for firsts, until in reached if name in firsts]
    if not spans:
        return []
    return past.between(min(span[0] for span in spans), plan.rows_until(max(span[1] for span in spans)))


def unread_splits(plan: Plan, history: History, spark: SparkSession | None) -> list[Split]:
    """The splits that have arrived and were not read. `spark` may be None if no source needs a session."""
    live = (one for one in plan.sources if history.batches or not is_kept_by_others(one))
    found = (split for one in live for split in not_read(spark, one.table, history.splits(one.name)))
    return [split for split in found if not split.is_empty]


# ---------------------------------------------------------------------------------------------------- comparing


def _verify_insert(scene: _Scene, insert: Insert, sink: Sink) -> tuple[InsertVerdict, list[str]]:
    if not insert.operators:
        never_complete = any(one.name in insert.query.inputs for one in scene.plan.updating)
        batch = _standing(scene, insert) if never_complete else _passed(scene, insert)
        return _compare(scene, insert, (batch, None), [None], 0, sink)
    operator = scene.plan.operator(insert.operators[0])
    bounds = _bounds(scene.plan, scene.history, scene.interval, operator)
    pending = _pending(scene, operator)
    if bounds is None:
        return InsertVerdict(insert.name, 0, 0, 0, 0, pending, dict.fromkeys(CLASSES, 0)), []
    after, until = bounds
    # A late row of these has arrived, and the version with it is not published yet; or the sink does not answer; or the
    # table was added, and is not filled yet.
    mine = [one for (name, _), one in scene.history.published.items() if name == insert.name]
    owed = {one.end for one in waiting(scene.home, mine) if one.end is not None} if not sink.is_copy else set()
    changing = scene.history.changing(insert.name) | owed | scene.unfilled.get(insert.name, set())
    pending += sum(1 for end in changing if after < end <= until)
    ends = {p.end for (name, _), p in scene.history.published.items() if name == insert.name and p.end is not None}
    inside = [end for end in ends - changing if after < end <= until]
    batch, arrived = _expected(scene, insert, after, until)
    for given, restated in joined_with(scene.plan, scene.history, insert.name, inside).items():
        with given_versions(scene.spark, scene.plan, scene.home, scene.history, given):
            again = _expected(scene, insert, after, until)
        here = F.col(WINDOW_END).isin(restated)
        if arrived is not None or again[1] is not None:
            others, these = (batch if arrived is None else arrived), (again[0] if again[1] is None else again[1])
            arrived = others.where(~here).unionByName(these.where(here))
        batch = batch.where(~here).unionByName(again[0].where(here))
    if changing:
        here = ~F.col(WINDOW_END).isin(sorted(changing))
        batch, arrived = batch.where(here), None if arrived is None else arrived.where(here)
    return _compare(scene, insert, (batch, arrived), inside, pending, sink)


def _unfilled(home: Home, history: History) -> dict[str, set[int]]:
    found = lacking(home.log().entries(0, history.entry), home.identity().added)
    return {
        name: {one.published.end for one in windows if one.published.end is not None} for name, windows in found.items()
    }


def _expected(scene: _Scene, insert: Insert, after: int, until: int) -> tuple[DataFrame, DataFrame | None]:
    """B, the batch over all rows that were read, and B|arr, None if it is the same."""
    plan, history = scene.plan, scene.history
    fired = {n: fired_rows(plan, insert, history, read.frame, history.entry) for n, read in scene.sources.items()}
    views = {name: on_time(rows) for name, rows in fired.items()}
    batch = computed(plan, insert, same_rows(views), after, until, scene.tasks)
    return batch, _arrived(scene, insert, after, until)


def _arrived(scene: _Scene, insert: Insert, after: int, until: int) -> DataFrame | None:
    """B|arr: the batch over the rows that counted when a window was published. None if these are all rows."""
    plan, history = scene.plan, scene.history
    absorbing = plan.absorbing(insert)
    late = any(one.operator in absorbing and one.found for one in scene.ledgers)
    # A row in time can also be too late for a session that has fired, and begin another one.
    late = late or any(plan.operator(name).window.bounded_by_rows for name in absorbing)
    sources = {name for operator in absorbing for name in plan.operator(operator).sources}
    if not all(scene.pasts[name].knows_arrival for name in sources):
        return None
    # Late rows of batches that are here in part are not counted.
    late = late or any(scene.sources[name].partial for name in sources)
    if not late and not any(history.has_unread(name) for name in sources):
        return None

    def arrived_by(entry: int) -> DataFrame:
        def absorbed(operator: str | None) -> dict[str, DataFrame]:
            assert operator is not None
            names = plan.operator(operator).sources
            rows = {name: fired_rows(plan, insert, history, scene.sources[name].frame, entry) for name in names}
            return {name: with_watermark(frame, history, operator) for name, frame in rows.items()}

        return computed(plan, insert, absorbed, after, until, scene.tasks)

    arrived = result = arrived_by(history.entry)
    for entry, ends in _restated(history, insert, after, until).items():
        here = F.col(WINDOW_END).isin(ends)
        rows = {n: on_time(fired_rows(plan, insert, history, scene.sources[n].frame, entry)) for n in sources}
        again = computed(plan, insert, same_rows(rows), after, until, scene.tasks)
        result = result.where(~here).unionByName(again.where(here))
        if insert.window is not None and not insert.window.ends_on_grid:
            # Windows of a slot that have fired since are published in addition.
            result = result.unionByName(without(insert, arrived.where(here), arrived_by(entry).where(here)))
    return result


def _restated(history: History, insert: Insert, after: int, until: int) -> dict[int, list[int]]:
    """The ends of windows that a restatement published, by the entry up to which it read rows."""
    restated: dict[int, list[int]] = {}
    for (name, target), entry in history.as_of.items():
        published = history.published.get((name, target))
        end = None if published is None or name != insert.name else published.end
        if end is not None and after < end <= until:
            restated.setdefault(entry, []).append(end)
    return restated


def on_time(rows: DataFrame) -> DataFrame:
    """The rows, none of them late by its `_nrt_seen`."""
    return rows.withColumn("_nrt_seen", F.lit(None).cast("bigint"))


def _passed(scene: _Scene, insert: Insert) -> DataFrame:
    """The batch of an insert without windows: all rows, none of them late."""
    views = {name: on_time(scene.sources[name].frame) for name in insert.query.inputs}
    return run_query(insert.query, views).withColumn(WINDOW_END, F.lit(None).cast("bigint"))


def _standing(scene: _Scene, insert: Insert) -> DataFrame:
    """The batch of results that never complete, over all rows that the stream has read."""
    views = {name: on_time(read.frame.where(f"{ENTRY} <> {BACKFILL}")) for name, read in scene.sources.items()}
    rows = computed(scene.plan, insert, same_rows(views), -END_OF_TIME, END_OF_TIME, scene.tasks)
    return rows.selectExpr(*(quote(field.name) for field in insert.query.fields), f"{bigint(None)} AS {WINDOW_END}")


def _without_arrival(scene: _Scene, insert: Insert) -> str | None:
    """Why results can't be compared with an archive that others fill, None if they can."""
    inputs = scene.plan.sources_of(insert.query)
    if insert.operators or all(scene.pasts[name].knows_arrival for name in inputs):
        return None
    return "others fill the archive: without windows nothing says which of its rows the stream has read"


def _compare(
    scene: _Scene,
    insert: Insert,
    sides: tuple[DataFrame, DataFrame | None],
    ends: Sequence[int | None],
    pending: int,
    sink: Sink,
) -> tuple[InsertVerdict, list[str]]:
    batch, arrived = (None if frame is None else sink.as_read(insert, frame) for frame in sides)
    assert batch is not None
    sink, commits = _as_of(scene, insert, sink)
    standing = sink.standing(scene.spark, insert, scene.history.published, ends)
    classes = classify(insert, Sides(standing.rows, batch, arrived))
    by_window: dict[int | None, dict[str, int]] = {}
    for row in classes.groupBy(WINDOW_END, CLASS).count().collect():
        by_window.setdefault(row[0], {})[row[1]] = row[2]
    changed = set() if sink.is_fixed else _changed_since(scene, insert, by_window)
    by_window = {end: kinds for end, kinds in by_window.items() if end not in changed}
    bad = []
    worst = worst_of(by_window)
    if worst:

        def read_again(sink: Sink, ends: Collection[int | None]) -> DataFrame:
            """Only these windows: files of others may have been replaced meanwhile."""
            again = sink.standing(scene.spark, insert, scene.history.published, ends)
            return classify(insert, Sides(again.rows, batch, arrived)).where(in_windows(ends))

        samples = samples_of(read_again(sink, worst))
        entries = {end: entry for end, entry in scene.history.entries_of(insert.name).items() if end in set(worst)}
        told = histories(commits, entries, lambda version, ends: wrong_ends(read_again(sink.at(version), ends)))
        bad = [bad_window(insert, end, by_window[end], samples.get(end, ()), told.get(end)) for end in worst]
    problems = []
    foreign = _not_newer(scene, standing.foreign)
    if foreign:
        bad.append(BadWindow(None, None, 0, sink.foreign_rows(scene.spark, insert, foreign), 0))
        problems += [f"the log does not contain the published file {standing.foreign[one]}" for one in foreign]
    states = [state_of(kinds) for kinds in by_window.values()]
    verdict = InsertVerdict(
        insert=insert.name,
        windows=len(states),
        equal=states.count("equal"),
        explained=states.count("explained"),
        unexplained=states.count("unexplained"),
        pending=pending + len(changed),
        rows={kind: sum(kinds.get(kind, 0) for kinds in by_window.values()) for kind in CLASSES},
        bad=tuple(bad),
        unequal_ends=tuple(sorted(e for e, kinds in by_window.items() if e is not None and state_of(kinds) != "equal")),
    )
    return verdict, problems


def _as_of(scene: _Scene, insert: Insert, sink: Sink) -> tuple[Sink, Iterator[PastCommit] | None]:
    """The sink as of the verified entry, and the commits of its table from there back, if it has such."""
    past = sink.past(scene.spark, scene.home, insert)
    if past is None:
        return sink, None
    version = past.version_of(scene.history.entry)
    if version is not None:
        return sink.at(version), past.back_from(version)
    scene.notes.append(
        f"{insert.name}: the history of its table no longer has the version of log entry {scene.history.entry}: the "
        "table is verified as it is now"
    )
    return sink, past.commits()


def _changed_since(scene: _Scene, insert: Insert, ends: Collection[int | None]) -> set[int | None]:
    """Windows that a running driver has published again or removed since the log was read, by its new entries."""
    known = {f"{name}/{target}": one for (name, target), one in scene.history.published.items()}
    found: set[int | None] = set()
    for entry in scene.home.log().entries(scene.history.entry + 1):
        removed = (known[target] for target in entry.removed if target in known)
        mine = (one for one in (*entry.published, *removed) if one.insert == insert.name)
        found |= {one.end for one in mine if one.end is not None or insert.replaces_table}
    return found & set(ends)


def _not_newer(scene: _Scene, foreign: Collection[str]) -> list[str]:
    """Foreign targets, without those that a running driver has published since the log was read."""
    newer = scene.home.log().entries(scene.history.entry + 1) if foreign else ()
    targets = {one.target for entry in newer for one in entry.published}
    return [target for target in foreign if target not in targets]


def _pending(scene: _Scene, operator: WindowAggregate) -> int:
    """The number of windows of the interval that have rows and are not complete."""
    state = scene.history.position.operators.get(operator.name, OperatorState())
    fired = state.complete_until if state.complete_until is not None else -END_OF_TIME
    after = max(fired, scene.interval.start if scene.interval.start is not None else -END_OF_TIME)
    open_slices = [file.last for file in state.rows if file.last > after]
    if not open_slices:
        return 0
    until = max(open_slices)
    if scene.interval.end is not None:
        until = min(until, scene.interval.end)
    first = max(after, min(file.first for file in state.rows if file.last > after) - operator.window.slice)
    return sum(1 for _ in operator.window.ends_between(first, until)) if until > first else 0
