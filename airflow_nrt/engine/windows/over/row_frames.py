"""Frames of OVER as window specifications of Spark, and the aggregates over them.

A frame has rows. An unbounded one also has *heads*: partials of the earlier rows of a partition, which are ordered
before all rows (`prefix_accumulators.py`).

    _nrt_is_new   boolean   whether a row fires now; only such rows have results
    _nrt_fires    bigint    the slice with which it fires, which becomes `_nrt_end`
    _nrt_head     int       the index of a head's partition in `unbounded`; KEPT for a row that heads include, so that
                            only bounded frames use it; NULL for any other row
"""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from airflow_nrt.basics.instants import LAST_MINUTE
from airflow_nrt.engine.aggregates.accumulator_layout import AccumulatorLayout, accumulator_layout, names
from airflow_nrt.engine.aggregates.multiset import bound
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.operators import RowFrame
from airflow_nrt.model.value_places import in_window

IS_NEW, HEAD, FIRES = "_nrt_is_new", "_nrt_head", "_nrt_fires"
_GAP, _VISIT = "_nrt_gap", "_nrt_visit"
KEPT = -1
PLACE = ("p.file", "p.block", "p.row")


def frames_of(layout: Layout) -> Iterator[tuple[RowFrame, AccumulatorLayout]]:
    """The different frames, each with the accumulators of the aggregates over it."""
    operator = layout.operator
    for frame in dict.fromkeys(operator.frames):
        calls = (call for call, own in zip(operator.aggregates, operator.frames) if own == frame)
        yield frame, accumulator_layout(tuple(calls))


def unbounded(layout: Layout) -> list[tuple[str, ...]]:
    """The partitions of unbounded frames. The head column has their index in this list."""
    return list(dict.fromkeys(frame.partition for frame in layout.operator.frames if frame.low is None))


def fires(layout: Layout) -> str:
    """SQL of the slice with which a row fires: its own, or that of the last row that it waits for.

    coalesce(lead(_nrt_slice, 1) OVER (PARTITION BY g0 ORDER BY _nrt_slice, p.file, p.block, p.row), 253402214400000L)
    """
    operator = layout.operator
    if not operator.followers:
        return SLICE
    by, order = ", ".join(operator.frames[0].partition), ", ".join((SLICE, *PLACE))
    last = f"lead({SLICE}, {operator.followers}) OVER ({f'PARTITION BY {by} ' if by else ''}ORDER BY {order})"
    return f"coalesce({last}, {LAST_MINUTE}L)"


def results(layout: Layout, rows: DataFrame) -> DataFrame:
    """The new rows with their aggregates and `_nrt_end`."""
    accumulators = layout.accumulators
    lifts = [f"{name} AS {_lift(name)}" for name in names(accumulators.of_rows)]
    end = f"{FIRES} AS {WINDOW_END}"
    done = rows.selectExpr(*layout.keys, SLICE, *layout.generation, IS_NEW, HEAD, end, *accumulators.values, *lifts)
    at = in_window(layout.keys)
    for frame, part in frames_of(layout):
        columns = done.columns
        visited = done if frame.idle is None else _with_visits(done, frame)
        numbered = visited.selectExpr("*", *_occurrences(layout, part, frame))
        merged = numbered.selectExpr("*", *_merged(layout, part, frame))
        found = [f"IF({IS_NEW}, {sql.replace('{place}', at)}, NULL) AS {name}" for name, sql in part.results]
        done = merged.selectExpr(*columns, *found)
    return done.where(IS_NEW).select(*layout.keys, *(call.name for call in layout.operator.aggregates), WINDOW_END)


def _with_visits(rows: DataFrame, frame: RowFrame) -> DataFrame:
    """The rows, numbered by how often their key has been idle before them, as far as the rows reach back."""
    keys = f"PARTITION BY {', '.join(frame.partition)} " if frame.partition else ""
    order = f"({keys}ORDER BY {', '.join((SLICE, *PLACE))})"
    gaps = rows.selectExpr("*", f"coalesce({SLICE} - lag({SLICE}) OVER {order} >= {frame.idle}L, false) AS {_GAP}")
    return gaps.selectExpr("*", f"count_if({_GAP}) OVER {order} AS {_VISIT}").drop(_GAP)


def _lift(name: str) -> str:
    return f"_nrt_lift_{name}"


def _over(layout: Layout, frame: RowFrame) -> str:
    """SQL of a window specification.

    (PARTITION BY g0, _nrt_life ORDER BY _nrt_slice RANGE BETWEEN 600000L PRECEDING AND CURRENT ROW)
    """
    by = (*frame.partition, *layout.generation, *(() if frame.idle is None else (_VISIT,)))
    keys = f"PARTITION BY {', '.join(by)} " if by else ""
    order = SLICE if frame.unit == "RANGE" else ", ".join((SLICE, *PLACE))
    return f"({keys}ORDER BY {order} {frame.unit} BETWEEN {_bound(frame, frame.low)} AND {_bound(frame, frame.high)})"


def _bound(frame: RowFrame, length: int | None) -> str:
    if not length:
        return "UNBOUNDED PRECEDING" if length is None else "CURRENT ROW"
    unit = "L" if frame.unit == "RANGE" else ""
    return f"{abs(length)}{unit} {'PRECEDING' if length > 0 else 'FOLLOWING'}"


def _counted(layout: Layout, frame: RowFrame, value: str) -> str:
    """The value if the frame uses it, else NULL: an unbounded frame uses heads, others the rows that these include."""
    which = KEPT if frame.low is not None else unbounded(layout).index(frame.partition)
    return f"IF(coalesce({HEAD} = {which}, true), {value}, NULL)"


def _merged(layout: Layout, part: AccumulatorLayout, frame: RowFrame) -> Iterator[str]:
    """The accumulators over one frame.

    CAST(sum(IF(coalesce(_nrt_head = -1, true), _nrt_lift_s_v0, NULL)) OVER (PARTITION BY g0, _nrt_life ORDER BY
      _nrt_slice RANGE BETWEEN 600000L PRECEDING AND CURRENT ROW) AS BIGINT) AS s_v0
    """
    over = f" OVER {_over(layout, frame)}"
    for one in part.of_rows:
        value = _counted(layout, frame, _lift(one.name))
        yield f"CAST({one.merge.format(value, over=over)} AS {one.type}) AS {one.name}"
    for n, (group, value) in enumerate(zip(part.sets, value_columns(layout, part))):
        values = f"collect_set({_counted(layout, frame, value)}){over}"
        for one in group.accumulators:
            if frame.low is None:
                first = bound(
                    group.column, f"IF({_occurrence(n)} = 1, {value}, NULL)", f"CAST({one.lift} AS {one.type})"
                )
                merged = one.merge.format(first, over=over)
            else:
                # A partial of distinct values can't be subtracted from a frame: that needs the values themselves.
                lifted = f"transform({values}, {group.column} -> CAST({one.lift} AS {one.type}))"
                zero = f"CAST(0 AS {one.added_type})"
                more = f"coalesce(CAST(x AS {one.added_type}), {zero})"
                merged = f"aggregate({lifted}, {zero}, (t, x) -> CAST(t + {more} AS {one.added_type}))"
            yield f"CAST({merged} AS {one.type}) AS {one.name}"


def _occurrences(layout: Layout, part: AccumulatorLayout, frame: RowFrame) -> Iterator[str]:
    """For an unbounded frame, numbers the occurrences of each distinct value: the first one counts.

    IF(IF(coalesce(_nrt_head = 0, true), x0, NULL) IS NULL, NULL, row_number() OVER (PARTITION BY g0,
      IF(coalesce(_nrt_head = 0, true), x0, NULL) ORDER BY _nrt_slice, p.file, p.block, p.row)) AS _nrt_sighting_0
    """
    if frame.low is None:
        for n, value in enumerate(value_columns(layout, part)):
            counted = _counted(layout, frame, value)
            by, order = ", ".join((*frame.partition, counted)), ", ".join((SLICE, *PLACE))
            number = f"row_number() OVER (PARTITION BY {by} ORDER BY {order})"
            yield f"IF({counted} IS NULL, NULL, {number}) AS {_occurrence(n)}"


def _occurrence(n: int) -> str:
    return f"_nrt_sighting_{n}"


def value_columns(layout: Layout, part: AccumulatorLayout) -> list[str]:
    """The columns with the values of a part's distinct sets."""
    columns = {group.value: group.column for group in layout.accumulators.sets}
    return [columns[group.value] for group in part.sets]
