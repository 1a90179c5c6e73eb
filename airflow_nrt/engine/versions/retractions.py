"""The published rows of windows that can still change, for sinks that need retractions."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import Field
from airflow_nrt.engine.sinks.changelog import changelog, in_update_form
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.internal_columns import AFTER, KEY, WINDOW_END, key_of
from airflow_nrt.model.plan import Insert


def shown_rows(store: SliceStore, insert: Insert, files: tuple[StateFile, ...]) -> DataFrame | None:
    """The rows that `show` stored, None if there are none."""
    rows = store.read(files, [*(column.name for column in insert.sink.physical), SLICE])
    return None if rows is None else rows.withColumnRenamed(SLICE, WINDOW_END)


def show(store: SliceStore, insert: Insert, rows: DataFrame) -> tuple[StateFile, ...]:
    """Stores the rows that are now published."""
    file = store.write(f"{insert.name}.shown", rows.withColumnRenamed(WINDOW_END, SLICE)).file
    return () if file is None else (file,)


def changed_rows(insert: Insert, old: DataFrame | None, new: DataFrame) -> DataFrame:
    """The changes from the old rows to the new ones, with `_nrt_op`, in the form of the sink. The sink's key identifies
    a row of a window, or else the query's key, or else the whole row."""
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
    changes = changelog(rows.selectExpr("*", f"{key_of(identity)} AS {KEY}"), fields, 0, [WINDOW_END])
    if not insert.sink.primary_key:
        return changes
    return in_update_form(changes, fields, insert.sink.primary_key, [WINDOW_END])
