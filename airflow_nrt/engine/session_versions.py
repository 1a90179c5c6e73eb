"""Versions of sessions: no grid holds them, and a session that sinks show can still grow, or become part of another.

What is shown are the operator's rows, one a key and session. A round computes all open sessions, takes those of which
a version is due in place of the shown ones that lie in them, and publishes the slots whose rows are different then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import same
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.partials import SLICE
from airflow_nrt.report.entries import StateFile
from airflow_nrt.report.hidden import WINDOW_END, WINDOW_START
from airflow_nrt.report.plan import Insert
from airflow_nrt.report.timing import OutputOptions
from airflow_nrt.report.windows import Sql, Window


@dataclass(frozen=True)
class Turn:
    """The sessions that an insert shows, before a round and behind it; `slots` are those that are different then."""

    before: DataFrame | None
    behind: DataFrame
    slots: tuple[int, ...]


def turn(
    insert: Insert,
    keys: tuple[str, ...],
    shown: DataFrame | None,
    current: DataFrame,
    times: tuple[int | None, int],
    fired: int,
    query: Callable[[DataFrame], DataFrame],
) -> Turn:
    """`current` are all sessions that had not fired up to `fired`; `times` the watermark of the round before and of
    this one; `query` gives the insert's rows of sessions."""
    due = current.where(due_sql(insert.timing, *times))
    if shown is None:
        return Turn(None, due, _changed_slots(None, query(due)))
    others = shown.alias("s").join(due.alias("d"), _lies_in(keys), "left_anti")
    # A session that has grown is shown as it was, but not beyond the time at which that would have been complete.
    over = f"l.{WINDOW_END} > {fired}L AND l.{WINDOW_END} + {insert.timing.complete_result - 1}L <= {times[1]}L"
    there = current.select(*keys, WINDOW_START, WINDOW_END, F.lit(True).alias("_nrt_there"))
    told = others.alias("l").join(there.alias("r"), same([*keys, WINDOW_START, WINDOW_END]), "left")
    still = told.where(f"_nrt_there OR NOT ({over})").select("l.*")
    behind = still.unionByName(due)
    return Turn(shown, behind, _changed_slots(query(shown), query(behind)))


def keep(store: SliceStore, insert: Insert, window: Window, rows: DataFrame, fired: int) -> tuple[StateFile, ...]:
    """What is shown of slots that can still change."""
    still = rows.where(f"{window.name(Sql(WINDOW_END))} > {fired}L")
    file = store.write(f"{insert.name}.shown", still.withColumnRenamed(WINDOW_END, SLICE)).file
    return () if file is None else (file,)


def kept(store: SliceStore, files: tuple[StateFile, ...], like: DataFrame) -> DataFrame | None:
    """The rows that `keep` wrote, with the columns of these."""
    rows = store.read(files, [SLICE if name == WINDOW_END else name for name in like.columns])
    return None if rows is None else rows.withColumnRenamed(SLICE, WINDOW_END)


def due_sql(timing: OutputOptions, before: int | None, now: int) -> str:
    """SQL over a session: whether a version of it is due, provided that its rows have changed."""

    def instant(offset: int) -> str:
        return f"{WINDOW_END} + {offset - 1}L"

    def passes(offset: int) -> str:
        since = "" if before is None else f" AND {instant(offset)} > {before}L"
        return f"({instant(offset)} <= {now}L{since})"

    early = f"{instant(timing.earliest)} <= {now}L AND {instant(timing.complete_result)} > {now}L"
    if isinstance(timing.update_rate, int) and before is not None:
        steps = [f"floor(({at}L - ({instant(timing.earliest)})) / {timing.update_rate}L)" for at in (now, before)]
        early += f" AND {steps[0]} > {steps[1]}"
    late = f"{instant(timing.complete_result)} <= {now}L" if timing.late_updates else "false"
    return " OR ".join([passes(timing.earliest), passes(timing.complete_result), f"({early})", f"({late})"])


def _lies_in(keys: tuple[str, ...]) -> list[Column]:
    """Whether a shown session `s` is part of a session `d`."""
    inside = F.expr(f"d.{WINDOW_START} <= s.{WINDOW_START} AND d.{WINDOW_END} >= s.{WINDOW_END}")
    return [*(F.expr(f"s.{key} <=> d.{key}") for key in keys), inside]


def _changed_slots(before: DataFrame | None, behind: DataFrame) -> tuple[int, ...]:
    """The slots whose rows are not the same, as multisets."""

    def counted(frame: DataFrame, sign: int) -> DataFrame:
        return frame.selectExpr(WINDOW_END, "to_json(struct(*)) AS row", f"{sign} AS n")

    rows = counted(behind, 1) if before is None else counted(behind, 1).unionAll(counted(before, -1))
    differing = rows.groupBy(WINDOW_END, "row").agg(F.sum("n").alias("n")).where("n <> 0")
    return tuple(sorted(row[0] for row in differing.select(WINDOW_END).distinct().collect()))
