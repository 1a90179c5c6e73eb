"""Proves that the stream published what the batch computes: late rows explain every difference, or it is an error.

A verification is as of a log entry. It reads exactly the files that entries up to it list, and compares the results in
the sinks with the batch over all these rows (B), and with the batch over the rows that counted (B|arr).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.texts import counted
from airflow_nrt.describe.verdict import Verdict, not_before
from airflow_nrt.engine.archive import archive_of_source
from airflow_nrt.engine.archive.needed_pieces import Needed
from airflow_nrt.engine.archive.source_archive import SourceArchive
from airflow_nrt.engine.batch.progress import shown_tasks
from airflow_nrt.engine.dimensions.validities import provide_for_verification
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.engine.spark.tuning import tune_for
from airflow_nrt.engine.verify.evidence import (
    check_ledger,
    check_watermarks,
    rows_read,
)
from airflow_nrt.engine.verify.interval import EVERYTHING, Interval, bounds_of, not_provable_until
from airflow_nrt.engine.verify.one_insert import verify_insert
from airflow_nrt.engine.verify.unread import Unread, unread_of
from airflow_nrt.engine.verify.verification_inputs import Scene, unfilled
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.arithmetic import check_arithmetic
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.log.history.row_semantics import plan_of_history
from airflow_nrt.home.log.history.verifiability import not_comparable
from airflow_nrt.home.notes.followers import following
from airflow_nrt.home.notes.verdicts import keep_verdict
from airflow_nrt.home.skipped import as_history_skips
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Insert, Plan

Progress = Callable[[str], None]
SinkOf = Callable[[Insert], Sink]


def verify(
    spark: SparkSession,
    plan: Plan,
    home: Home,
    interval: Interval = EVERYTHING,
    published: Path | None = None,
    say: Progress = lambda text: None,
) -> Verdict:
    """Verifies complete windows of the interval; the home keeps the verdict.

    `published` is a copy of the sink's directory to verify instead; the home keeps nothing then.
    """
    check_arithmetic(plan, home.log().position())
    session = report_session(spark, plan)
    with following(home, "a verification"):
        if published is not None:
            return _verified(session, plan, home, interval, lambda insert: sink_of(insert).at_copy(published), say)
        verdict = _verified(session, plan, home, interval, sink_of, say)
    keep_verdict(home, verdict)
    return verdict


def _verified(
    spark: SparkSession, plan: Plan, home: Home, interval: Interval, sink_of: SinkOf, say: Progress
) -> Verdict:
    plan = replace(plan, inserts=tuple(one.without_nulls for one in plan.inserts))
    log = home.log()
    history = history_of(log, plan)
    plan = as_history_skips(plan_of_history(plan, history), history, home)
    say(f"log read: {counted(history.entry + 1, 'entry')}, {counted(len(history.batches), 'batch')}")
    problems = list(history.problems)
    notes = provide_for_verification(spark, plan, home, history)
    archives = {source.name: archive_of_source(plan, source, history, home) for source in plan.sources}
    asked = {name: _needed(spark, plan, history, interval, name, archive) for name, archive in archives.items()}
    notes += [note for name, some in asked.items() for note in some.notes(plan.source(name))]
    needed = {name: some.pieces for name, some in asked.items()}
    tasks = tune_for(spark, [split for splits in needed.values() for split in splits])
    scene = Scene(spark, plan, home, history, interval, tasks, archives, {}, [], notes, unfilled(home, history))
    for source in plan.sources:
        archive = archives[source.name]
        read = rows_read(spark, plan, archive, source.name, history, needed[source.name], tasks)
        scene.sources[source.name] = read
        problems += read.problems
        if not archive.knows_arrival:
            notes.append(
                f"{source.name}: others fill its archive, which does not say when a row arrived: no difference is "
                "explained by late rows"
            )
        elif source.table.watermark is not None:
            problems += check_watermarks(history, source.name, read)
        if read.published_again:
            notes.append(
                f"{source.name}: {counted(read.published_again, 'file')} restated by another report since: "
                "windows are compared with what is there now, and the watermarks and late rows of these batches are "
                "not checked"
            )
        elif read.partial:
            notes.append(
                f"{source.name}: {counted(len(read.partial), 'batch')} {'has' if len(read.partial) == 1 else 'have'} "
                "rows in files that are not read here, too: there watermarks, and late rows in the ledger, are not "
                "checked"
            )
        say(f"source {source.name}: {counted(len(needed[source.name]), 'split')}, watermarks follow from their rows")
    for operator in plan.operators:
        for name in operator.sources if all(archives[name].knows_arrival for name in operator.sources) else ():
            scene.ledgers.append(check_ledger(home, history, layout_of(operator), name, scene.sources))
    say(f"late ledger checked: {counted(sum(one.found for one in scene.ledgers), 'late row')}")
    inserts, gone = [], unprovable(plan, history, interval)
    for insert in plan.inserts:
        if not connector_of(insert.sink).keeps_rows:
            notes.append(f"{insert.name}: what connector '{insert.sink.connector}' wrote can't be read back")
            continue
        if gone.get(insert.name) == END_OF_TIME:
            notes.append(f"{insert.name}: {not_before({insert.name: END_OF_TIME})}")
            continue
        unknown = not_comparable(plan, insert, history.position) or _without_arrival(scene, insert)
        if unknown is not None:
            notes.append(f"{insert.name}: {unknown}")
            continue
        with shown_tasks(spark, f"{insert.name}, comparing", say):
            verdict, foreign = verify_insert(scene, insert, sink_of(insert))
        problems += foreign
        inserts.append(verdict)
        done = f"{len(inserts)} of {counted(len(plan.inserts), 'insert')}"
        say(f"{insert.name}: {counted(verdict.windows, 'window')} compared ({done})")
    for read in scene.sources.values():
        read.kept.unpersist()
    try:
        unread = unread_of(plan, history, spark)
        notes += unread.notes
    except InputError as wrong:
        problems.append(str(wrong))
        unread = Unread((), {})
    return Verdict(
        report=plan.name,
        home=str(home.path),
        entry=history.entry,
        start=interval.start,
        end=interval.end,
        inserts=tuple(inserts),
        ledgers=tuple(one for one in scene.ledgers if one.claimed or one.found),
        problems=tuple(problems),
        unread_files=len(unread.splits),
        unread_bytes=unread.size,
        late_rows=sum(one.found for one in scene.ledgers),
        notes=tuple(notes),
        unprovable=gone,
    )


def unprovable(plan: Plan, history: History, interval: Interval) -> dict[str, int]:
    """By insert, the end up to which windows of the interval can't be proven: those below which entries are removed."""
    if history.beginning.state.entry < 0:
        return {}
    start = -END_OF_TIME if interval.start is None else interval.start
    found = {
        one.name: max((not_provable_until(plan, history, name) for name in one.operators), default=END_OF_TIME)
        for one in plan.inserts
        if connector_of(one.sink).keeps_rows
    }
    return {name: until for name, until in found.items() if until > start}


def _needed(
    spark: SparkSession, plan: Plan, history: History, interval: Interval, name: str, archive: SourceArchive
) -> Needed:
    """The pieces that can hold rows of the windows to compare; all where partitions have no time."""
    if interval.start is None and interval.end is None:
        return Needed(archive.pieces)
    if plan.passing(name) or plan.updated_by(name) or plan.is_read_by_clock(name):
        return Needed(archive.pieces)
    bounds = [(operator.name, bounds_of(plan, history, interval, operator)) for operator in plan.operators]
    reached = [(plan.first_rows(operator, b[0]), b[1]) for operator, b in bounds if b is not None]
    spans = [(firsts[name], until) for firsts, until in reached if name in firsts]
    if not spans:
        return Needed([])
    return archive.between(spark, min(span[0] for span in spans), plan.rows_until(max(span[1] for span in spans)))


def _without_arrival(scene: Scene, insert: Insert) -> str | None:
    """Why results can't be compared with an archive that others fill, None if they can."""
    inputs = scene.plan.sources_of(insert.query)
    if insert.operators or all(scene.archives[name].knows_arrival for name in inputs):
        return None
    return "others fill the archive: without windows nothing says which of its rows the stream has read"
