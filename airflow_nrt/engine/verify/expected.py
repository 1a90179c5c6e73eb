"""The results that a sink should have: the batch over all rows, and over those that counted."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import bigint, quote
from airflow_nrt.engine.archive.source_archive import BACKFILL, ENTRY
from airflow_nrt.engine.batch.batch import computed, same_rows
from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.verify.comparison import without
from airflow_nrt.engine.verify.evidence import (
    fired_rows,
    with_watermark,
)
from airflow_nrt.engine.verify.tolerance import tolerance_of
from airflow_nrt.engine.verify.verification_inputs import Scene
from airflow_nrt.home.log.history.history import History
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert


def expected_rows(scene: Scene, insert: Insert, after: int, until: int) -> tuple[DataFrame, DataFrame | None]:
    """B, the batch over all rows that were read, and B|arr, None if it is the same."""
    plan, history = scene.plan, scene.history
    fired = {n: fired_rows(plan, insert, history, read.frame, history.entry) for n, read in scene.sources.items()}
    views = {name: on_time(rows) for name, rows in fired.items()}
    batch = computed(plan, insert, same_rows(views), after, until, scene.tasks)
    return batch, _arrived(scene, insert, after, until)


def _arrived(scene: Scene, insert: Insert, after: int, until: int) -> DataFrame | None:
    """B|arr: the batch over the rows that counted when a window was published. None if these are all rows."""
    plan, history = scene.plan, scene.history
    absorbing = plan.absorbing(insert)
    late = any(one.operator in absorbing and one.found for one in scene.ledgers)
    # A row in time can also be too late for a session that has fired, and begin another one.
    late = late or any(plan.operator(name).window.bounded_by_rows for name in absorbing)
    sources = {name for operator in absorbing for name in plan.operator(operator).sources}
    if not all(scene.archives[name].knows_arrival for name in sources):
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
            new = without(insert, arrived.where(here), arrived_by(entry).where(here), tolerance_of(plan, insert))
            result = result.unionByName(new)
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


def rows_so_far(scene: Scene, insert: Insert) -> DataFrame:
    """The batch of an insert without windows: all rows, none of them late."""
    views = {name: on_time(scene.sources[name].frame) for name in insert.query.inputs}
    return run_query(insert.query, views).withColumn(WINDOW_END, F.lit(None).cast("bigint"))


def rows_that_stand(scene: Scene, insert: Insert) -> DataFrame:
    """The batch of results that never complete, over all rows that the stream has read."""
    views = {name: on_time(read.frame.where(f"{ENTRY} <> {BACKFILL}")) for name, read in scene.sources.items()}
    rows = computed(scene.plan, insert, same_rows(views), -END_OF_TIME, END_OF_TIME, scene.tasks)
    return rows.selectExpr(*(quote(field.name) for field in insert.query.fields), f"{bigint(None)} AS {WINDOW_END}")
