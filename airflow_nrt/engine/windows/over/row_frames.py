"""Frames of OVER as window specifications of Spark, and what its aggregates give over them.

A frame looks at rows, and one that is not bounded also at *heads*: partials that stand in front of all rows for those
of a partition that went by (`prefix_accumulators.py`).

    _nrt_is_new   boolean   whether a row fires now; only such rows have results
    _nrt_fires    bigint    the slice with which it fires, which gives `_nrt_end`
    _nrt_head     int       of a head, which of the unbounded partitions it is of; KEPT of a row that heads stand for,
                            so that bounded frames alone look at it; NULL of any other row
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pyspark.sql import DataFrame

from airflow_nrt.basics.instants import LAST_MINUTE
from airflow_nrt.engine.aggregates.multiset import bound
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.windows.aggregate import place
from airflow_nrt.engine.windows.partials import Layout, layout_of
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.operators import RowFrame, WindowAggregate

IS_NEW, HEAD, FIRES = "_nrt_is_new", "_nrt_head", "_nrt_fires"
KEPT = -1
PLACE = ("p.file", "p.block", "p.row")


def over_of(layout: Layout) -> WindowAggregate:
    assert isinstance(layout.operator, WindowAggregate)
    return layout.operator


def frames_of(layout: Layout) -> Iterator[tuple[RowFrame, Layout]]:
    """The different frames, each with the layout of the aggregates over it."""
    operator = over_of(layout)
    for frame in dict.fromkeys(operator.frames):
        calls = tuple(call for call, own in zip(operator.aggregates, operator.frames) if own == frame)
        yield frame, layout_of(replace(operator, aggregates=calls, frames=(frame,) * len(calls)))


def unbounded(layout: Layout) -> list[tuple[str, ...]]:
    """The partitions with frames that begin with their first row. Heads name them by their place here."""
    return list(dict.fromkeys(frame.partition for frame in over_of(layout).frames if frame.low is None))


def fires(layout: Layout) -> str:
    """When a row fires, as SQL: with its own slice, or with that of the last row that it waits for."""
    operator = over_of(layout)
    if not operator.followers:
        return SLICE
    by, order = ", ".join(operator.frames[0].partition), ", ".join((SLICE, *PLACE))
    last = f"lead({SLICE}, {operator.followers}) OVER ({f'PARTITION BY {by} ' if by else ''}ORDER BY {order})"
    return f"coalesce({last}, {LAST_MINUTE}L)"


def results(layout: Layout, rows: DataFrame) -> DataFrame:
    """The new rows with their aggregates and `_nrt_end`."""
    lifts = [f"{one.name} AS {_lift(one.name)}" for one in layout.rows]
    values = (name for name, _ in layout.values)
    end = f"{FIRES} AS {WINDOW_END}"
    done = rows.selectExpr(*layout.keys, SLICE, *layout.lives, IS_NEW, HEAD, end, *values, *lifts)
    at = place(layout)
    for frame, part in frames_of(layout):
        columns = done.columns
        seen = done.selectExpr("*", *_first_sightings(layout, part, frame))
        merged = seen.selectExpr("*", *_merged(layout, part, frame))
        found = [f"IF({IS_NEW}, {sql.replace('{place}', at)}, NULL) AS {name}" for name, sql in part.results]
        done = merged.selectExpr(*columns, *found)
    return done.where(IS_NEW).select(*layout.keys, *(call.name for call in over_of(layout).aggregates), WINDOW_END)


def _lift(name: str) -> str:
    return f"_nrt_lift_{name}"


def _over(layout: Layout, frame: RowFrame) -> str:
    by = (*frame.partition, *layout.lives)
    keys = f"PARTITION BY {', '.join(by)} " if by else ""
    order = SLICE if frame.unit == "RANGE" else ", ".join((SLICE, *PLACE))
    return f"({keys}ORDER BY {order} {frame.unit} BETWEEN {_bound(frame, frame.low)} AND {_bound(frame, frame.high)})"


def _bound(frame: RowFrame, length: int | None) -> str:
    if not length:
        return "UNBOUNDED PRECEDING" if length is None else "CURRENT ROW"
    unit = "L" if frame.unit == "RANGE" else ""
    return f"{abs(length)}{unit} {'PRECEDING' if length > 0 else 'FOLLOWING'}"


def _counted(layout: Layout, frame: RowFrame, value: str) -> str:
    """The value where the frame looks at it, NULL elsewhere: it looks at heads, or at the rows that they stand for."""
    which = KEPT if frame.low is not None else unbounded(layout).index(frame.partition)
    return f"IF(coalesce({HEAD} = {which}, true), {value}, NULL)"


def _merged(layout: Layout, part: Layout, frame: RowFrame) -> Iterator[str]:
    """The accumulators over one frame."""
    over = f" OVER {_over(layout, frame)}"
    for one in part.rows:
        value = _counted(layout, frame, _lift(one.name))
        yield f"CAST({one.merge.format(value, over=over)} AS {one.type}) AS {one.name}"
    for n, (group, value) in enumerate(zip(part.sets, value_columns(layout, part))):
        values = f"collect_set({_counted(layout, frame, value)}){over}"
        for one in group.accumulators:
            if frame.low is None:
                first = bound(group.column, f"IF({_sighting(n)} = 1, {value}, NULL)", f"CAST({one.lift} AS {one.type})")
                merged = one.merge.format(first, over=over)
            else:
                # No partial of distinct values leaves a frame again, so that the values themselves are looked at.
                lifted = f"transform({values}, {group.column} -> CAST({one.lift} AS {one.type}))"
                zero = f"CAST(0 AS {one.type})"
                merged = f"aggregate({lifted}, {zero}, (t, x) -> CAST(try_add(t, coalesce(x, {zero})) AS {one.type}))"
            yield f"CAST({merged} AS {one.type}) AS {one.name}"


def _first_sightings(layout: Layout, part: Layout, frame: RowFrame) -> Iterator[str]:
    """In a frame that begins with the first row a distinct value counts where it is seen first."""
    if frame.low is None:
        for n, value in enumerate(value_columns(layout, part)):
            counted = _counted(layout, frame, value)
            by, order = ", ".join((*frame.partition, counted)), ", ".join((SLICE, *PLACE))
            number = f"row_number() OVER (PARTITION BY {by} ORDER BY {order})"
            yield f"IF({counted} IS NULL, NULL, {number}) AS {_sighting(n)}"


def _sighting(n: int) -> str:
    return f"_nrt_sighting_{n}"


def value_columns(layout: Layout, part: Layout) -> list[str]:
    """The columns with the values of the distinct sets of a part."""
    names = {sql: name for name, sql in layout.values}
    return [names[sql] for _, sql in part.values]
