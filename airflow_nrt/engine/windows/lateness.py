"""Which windows a row counts in, and whether it is late for some of them.

A late row of TUMBLE and CUMULATE counts from its first window that is not complete, as if it were in the last slice of
that window. A late row of HOP keeps its slice, so that it does not count in windows without that slice.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.paths import bare_file
from airflow_nrt.engine.state.state_columns import LATE
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.model.windows import Sql


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with their slots and `_nrt_late`. Rows in a gap of HOP are left out."""
    return placed(layout, rows).selectExpr("*", *slots(layout), late(layout))


def placed(layout: Layout, rows: DataFrame) -> DataFrame:
    """The rows with their slice, the first window that holds it, the first in which they count, and the last one.

    Where windows are months, only a row that is late for its first window has its last one there, because Spark's
    calendar is slow; others have the first.
    """
    window = layout.operator.window
    slice_end = window.slice_end(Sql("_nrt_ts"))
    first, last = window.first_end(slice_end), window.last_end(slice_end)
    counted = window.counted_from(slice_end, Sql("_nrt_seen"))
    ends = (f"{slice_end} AS _nrt_own", f"{first} AS _nrt_first", f"{counted} AS _nrt_counted")
    if window.has_months and not window.has_gaps:
        if_late = f"IF(_nrt_counted > _nrt_first, {window.last_end(Sql('_nrt_own'))}, _nrt_first)"
        return rows.selectExpr("*", *ends).selectExpr("*", f"{if_late} AS _nrt_last")
    placed = rows.selectExpr("*", *ends, f"{last} AS _nrt_last")
    return placed.where("_nrt_first <= _nrt_last") if window.has_gaps else placed


def slots(layout: Layout) -> list[str]:
    """SQL of the slots of a row, NULL if it counts in no window.

    IF(_nrt_counted <= _nrt_last, _nrt_counted, NULL) AS _nrt_slice
    """
    placed = layout.slices.placed
    return [f"IF(_nrt_counted <= _nrt_last, {placed[slot]}, NULL) AS {slot}" for slot in layout.slots]


def late(layout: Layout) -> str:
    """SQL of the late row for the ledger: the row, its place, and the windows that it missed.

    IF(_nrt_counted > _nrt_first, to_json(struct(_nrt_row AS row, regexp_replace(_nrt_pos.path, '^file:/+', '/') AS
      file, _nrt_pos.block AS block, _nrt_pos.row AS position, _nrt_ts AS rowtime, _nrt_seen AS watermark, _nrt_first
      AS missed_from, least((_nrt_counted - 600000L), _nrt_last) AS missed_until, _nrt_counted > _nrt_last AS dropped)),
      NULL) AS _nrt_late
    """
    missed = f"least({layout.operator.window.grid.shifted(Sql('_nrt_counted'), -1)}, _nrt_last)"
    words = late_words("_nrt_first", missed, "_nrt_counted > _nrt_last")
    return f"IF(_nrt_counted > _nrt_first, {words}, NULL) AS {LATE}"


def late_words(missed_from: str, missed_until: str, dropped: str) -> str:
    """SQL of the ledger's JSON of a row of an input query.

    >>> print(late_words("60000L", "120000L", "true"))
    to_json(struct(_nrt_row AS row, regexp_replace(_nrt_pos.path, '^file:/+', '/') AS file, _nrt_pos.block AS block,
    _nrt_pos.row AS position, _nrt_ts AS rowtime, _nrt_seen AS watermark, 60000L AS missed_from, 120000L AS
    missed_until, true AS dropped))
    """
    return (
        f"to_json(struct(_nrt_row AS row, {bare_file('_nrt_pos.path')} AS file, _nrt_pos.block AS block, "
        "_nrt_pos.row AS position, _nrt_ts AS rowtime, _nrt_seen AS watermark, "
        f"{missed_from} AS missed_from, {missed_until} AS missed_until, {dropped} AS dropped))"
    )
