"""What a sink shows of windows that can still change, for those that must be told what to take back."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import Field
from airflow_nrt.engine.sinks.changelog import changelog, in_update_form
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.internal_columns import AFTER, KEY, WINDOW_END, key_of
from airflow_nrt.model.plan import Insert


def shown_rows(store: SliceStore, insert: Insert, files: tuple[StateFile, ...]) -> DataFrame | None:
    """The rows that `show` wrote, None if there are none."""
    rows = store.read(files, [*(column.name for column in insert.sink.physical), SLICE])
    return None if rows is None else rows.withColumnRenamed(SLICE, WINDOW_END)


def show(store: SliceStore, insert: Insert, rows: DataFrame) -> tuple[StateFile, ...]:
    """Keeps the rows that a sink now shows."""
    file = store.write(f"{insert.name}.shown", rows.withColumnRenamed(WINDOW_END, SLICE)).file
    return () if file is None else (file,)


def changed_rows(insert: Insert, old: DataFrame | None, new: DataFrame) -> DataFrame:
    """What becomes of these rows, `_nrt_op`, in the form of the sink: a window's row is known again by the sink's key,
    by the query's, or else by all of it."""
    rows = new.withColumn(AFTER, F.lit(True))
    if old is not None:
        rows = rows.unionByName(old.withColumn(AFTER, F.lit(False)))
    names = [quote(column.name) for column in insert.sink.physical]
    key = insert.sink.primary_key or insert.key
    if key is not None:
        identity = [WINDOW_END, *(quote(name) for name in key)]
    else:
        by = ", ".join([AFTER, WINDOW_END, *names])
        rows = rows.selectExpr("*", f"row_number() OVER (PARTITION BY {by} ORDER BY 1) AS _nrt_n")
        identity = [WINDOW_END, *names, "_nrt_n"]
    fields = [Field(column.name, column.type) for column in insert.sink.physical]
    told = changelog(rows.selectExpr("*", f"{key_of(identity)} AS {KEY}"), fields, 0, [WINDOW_END])
    return in_update_form(told, fields, insert.sink.primary_key, [WINDOW_END]) if insert.sink.primary_key else told
