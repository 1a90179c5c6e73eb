"""Undo: a window gets the rows back that an older version of it had, as a restatement that a person has set."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.claiming import claim
from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.engine.publish.publishing import decided_places, publish_entry
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.replaced.appending import append_restatement
from airflow_nrt.engine.replaced.keeping import Keeping, not_readable, write_rows
from airflow_nrt.engine.replaced.pinned import rows_of_window
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.ordered import ordered
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Entry, OperatorState, Published, Restate, Undo
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.notes.followers import following
from airflow_nrt.home.replaced.kept_rows import SET, new_directory
from airflow_nrt.home.replaced.kept_rows import directory_of as of_restatement
from airflow_nrt.home.replaced.versions import WindowVersion, versions_of
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.visible import directory_of
from airflow_nrt.home.written.durable_files import check_written, make_durable, written_in
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Insert, Plan

REASON = "undo"


@dataclass(frozen=True)
class AskedUndo:
    """The window of an insert that is to have older rows again: those of version `to`, None: of the one before.

    `by` asks for it, for a `reason`.
    """

    insert: str
    end: int
    by: Author
    to: int | None = None
    reason: str = ""

    @property
    def window(self) -> str:
        return f"the window of {self.insert} that ends at {format_instant(self.end)}"


def check_undo(plan: Plan, home: Home, asked: AskedUndo) -> WindowVersion:
    """The version whose rows are published again.

    Raises InputError if there is none that is kept, and for a window that can't be set, whatever is kept of it: of an
    insert without windows, or whose windows have no grid, of a connector whose rows can't be read back, and one that
    the stream still changes.
    """
    one = plan.insert(asked.insert)
    if not one.operators or one.window is None:
        raise InputError(f"{one.name} has no windows: an undo is of a window")
    if not one.window.ends_on_grid:
        raise InputError(
            f"the windows of {one.window} end where their rows do: a later row can still come into one that has fired, "
            "so none of them can be set"
        )
    if not connector_of(one.sink).keeps_rows:
        raise InputError(
            f"{one.name}: what connector '{one.sink.connector}' wrote can't be read back, so no older version is kept"
        )
    log = home.log()
    _check_final(one, history_of(log, plan), asked.end)
    return _chosen(versions_of(home, past_results(log)).get((asked.insert, asked.end), []), asked)


def _chosen(versions: Sequence[WindowVersion], asked: AskedUndo) -> WindowVersion:
    if not versions:
        raise InputError(f"{asked.window} was never published")
    known = {one.version: one for one in versions}
    if len(versions) == 1 or asked.to not in (None, *known):
        what = "no older version" if asked.to is None else f"no version {asked.to}"
        raise InputError(f"{asked.window} has {what}: `airflow-nrt versions` lists those that it has")
    chosen = known[asked.to] if asked.to is not None else versions[-2]
    if chosen is versions[-1] and chosen.kept is None:
        raise InputError(f"{asked.window} has version {asked.to} now")
    if chosen.kept is None:
        others = " or ".join(f"--to {one.version}" for one in versions[:-1] if one.kept is not None)
        way_out = f"{others} is" if others else "none is: a backfill computes it again"
        raise InputError(f"{asked.window}: the rows of version {chosen.version} are not kept; {way_out}")
    return chosen


def _check_final(insert: Insert, history: History, end: int) -> None:
    """The stream publishes no version of the window any more: else its next one would replace what a person has set."""
    if not history.is_streamed:
        return
    states = [history.position.operators.get(name, OperatorState()) for name in insert.operators]
    if all(end <= one.fired_until for one in states):
        return
    fired = min((one.fired for one in states if one.fired is not None), default=None)
    until = (
        "none has its last one yet" if fired is None else f"windows have their last one up to {format_instant(fired)}"
    )
    raise InputError(
        f"the stream can still publish versions of the window that ends at {format_instant(end)}: {until}. Wait for "
        "the stream, and undo then"
    )


def undo(spark: SparkSession, plan: Plan, home: Home, asked: AskedUndo) -> Entry:
    """Publishes the rows of an older version of a window again. What a stream or a batch computes does not replace
    them from then on, until somebody unpins the window.

    Raises InputError, before anything is published, as `check_undo` does, if the version is not kept, if its table does
    not give back or does not take its rows, and if the window changes meanwhile.
    """
    check_undo(plan, home, asked)
    session = report_session(spark, plan)
    with following(home, "an undo"):
        return _undone(session, plan, home, asked)


def _undone(spark: SparkSession, plan: Plan, home: Home, asked: AskedUndo) -> Entry:
    insert, end, log = plan.insert(asked.insert), asked.end, home.log()
    history = history_of(log, plan)
    claim(spark, home, insert)
    roll_forward(spark, home, plan, log, beside_driver=True)
    why = not_readable(spark, home, insert)
    if why is not None:
        raise InputError(f"{insert.name}: {why}, so no older version is kept")
    version = _chosen(versions_of(home, past_results(log)).get((insert.name, end), []), asked)
    set_rows, files = _set_rows(spark, home, version)
    staged = _staged(spark, home, insert, rows_of_window(spark, set_rows, end))
    made = {one.target for one in staged}
    removed = tuple(
        f"{name}/{place}"
        for (name, place), one in history.published.items()
        if name == insert.name and one.end == end and place and place not in made
    )
    body = Restate(
        tuple(staged), removed, REASON, {}, history.entry, by=asked.by, cause=asked.reason, kept=files,
        undo=Undo(insert.name, end, version.version, set_rows.key),
    )  # fmt: skip
    make_durable(home, staged, files)
    keeping = Keeping(spark, plan, home, history.published, Keep.of(plan).versions)
    try:
        entry = append_restatement(log, body, keeping, _Unchanged(asked))
    except InputError:
        for directory in {directory_of(one) for one in staged}:
            (home.staged / directory).delete_all()
        of_restatement(home, set_rows.key).delete_all()
        raise
    publish_entry(spark, home, plan, entry)
    keeping.note_new(entry)
    return entry


def _set_rows(spark: SparkSession, home: Home, version: WindowVersion) -> tuple[StorePath, NamedFiles]:
    """A copy of the kept rows, which stays as long as the window is pinned."""
    assert version.kept is not None
    kept = home.root / version.kept
    check_written(kept, version.files)
    directory = new_directory(home, now_ms()) / SET / version.insert
    write_rows(rows_of_window(spark, kept, version.end), directory, ONE)
    return directory, {directory.key: written_in(directory)}


def _staged(spark: SparkSession, home: Home, insert: Insert, rows: DataFrame) -> list[Published]:
    directory = home.staged.local / f"restate-{uuid.uuid4().hex}"
    insert = _in_order(insert, rows)
    staged, left_out = Fitting(spark, home).stage(
        insert, rows, lambda fit: sink_of(insert).stage(fit, insert, directory, "restated", 1)
    )
    if left_out:
        raise InputError(
            f"{insert.name}: its table does not take {left_out} rows of that version any more. Change the table, or "
            "set another version"
        )
    return staged


def _in_order(insert: Insert, rows: DataFrame) -> Insert:
    """The insert without its order, if columns that are not in its table decide that."""
    try:
        ordered(rows, insert, [])
    except AnalysisException:
        return replace(insert, order=())
    return insert


@dataclass(frozen=True)
class _Unchanged:
    """Admits the undo of a window that is as the person has seen it."""

    asked: AskedUndo

    def __call__(self, body: Restate, later: Sequence[Entry]) -> Restate:
        mine = {f"{one.insert}/{one.target}" for one in body.published} | {*body.removed}
        changed = next((entry for entry in later if not mine.isdisjoint(decided_places(entry))), None)
        if changed is not None:
            raise InputError(
                f"log entry {changed.n} has changed {self.asked.window} meanwhile, so nothing is undone: look at its "
                "versions again"
            )
        return body
