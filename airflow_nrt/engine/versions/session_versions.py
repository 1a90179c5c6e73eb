"""Versions of sessions: no grid holds them, and a session that sinks show can still grow, or become part of another.

What is shown are the operator's rows, one a key and session. A round computes all open sessions, takes those of which
a version is due in place of the shown ones that lie in them, and publishes the slots whose rows are different then.
What a session is, early or complete, stands beside it: others that end in its slot may be something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.frames import same
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.internal_columns import WINDOW_END, WINDOW_START
from airflow_nrt.model.operators import ROWS_COME, WindowAggregate
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.timing import COMPLETE, EARLY, LAST, LATE, OutputOptions, Rows
from airflow_nrt.model.windows import Sql, Window

STATE = "_nrt_state"
"""What a session is, as a place in `STATES`."""
STATES = (EARLY, COMPLETE, LATE, LAST)
_CAME = "_nrt_came"


@dataclass(frozen=True)
class Turn:
    """The sessions that an insert shows, before a round and behind it; `slots` are those that are different then."""

    before: DataFrame | None
    behind: DataFrame
    slots: tuple[int, ...]


def counted(insert: Insert, operator: WindowAggregate, sessions: DataFrame) -> DataFrame:
    """The sessions with a column that says of how many rows each is, where updates are due by that."""
    if not isinstance(insert.timing.update_rate, Rows) or not operator.keeps_rows:
        return sessions
    return sessions.withColumn(ROWS_COME.name, F.lit(1).cast("bigint"))


def turn(
    insert: Insert,
    operator: WindowAggregate,
    shown: DataFrame | None,
    current: DataFrame,
    times: tuple[int | None, int],
    fired: int,
    query: Callable[[DataFrame], DataFrame],
) -> Turn:
    """`current` are all sessions that had not fired up to `fired`; `times` the watermark of the round before and of
    this one; `query` gives the insert's rows of sessions."""
    keys = _keys(operator)
    judged = _with_state(insert, keys, shown, _with_came(insert, operator, shown, current), times)
    due = judged.where(due_sql(insert.timing, *times)).drop(_CAME)

    def told(sessions: DataFrame) -> DataFrame:
        """What a version is of. A number of rows is news by itself: they are not counted again."""
        if not isinstance(insert.timing.update_rate, Rows):
            return query(sessions)
        slot = f"{operator.window.name(Sql(WINDOW_END))} AS {WINDOW_END}"
        return sessions.selectExpr(f"* EXCEPT ({WINDOW_END})", f"{WINDOW_END} AS _nrt_until", slot)

    if shown is None:
        behind = _alike(insert, due)
        return Turn(None, behind, _changed_slots(None, told(behind)))
    others = shown.alias("s").join(due.alias("d"), _lies_in(keys), "left_anti")
    # A session that has grown is shown as it was, but not beyond the time at which that would have been complete.
    over = f"l.{WINDOW_END} > {fired}L AND l.{WINDOW_END} + {insert.timing.complete_result - 1}L <= {times[1]}L"
    there = current.select(*keys, WINDOW_START, WINDOW_END, F.lit(True).alias("_nrt_there"))
    others = others.alias("l").join(there.alias("r"), same([*keys, WINDOW_START, WINDOW_END]), "left")
    still = others.where(f"_nrt_there OR NOT ({over})").select("l.*")
    behind = _alike(insert, still.unionByName(due))
    return Turn(shown, behind, _changed_slots(told(shown), told(behind)))


def _with_came(insert: Insert, operator: WindowAggregate, shown: DataFrame | None, current: DataFrame) -> DataFrame:
    """The sessions with `_nrt_came`: how many rows have come since they were shown, where updates are due by that."""
    if not isinstance(insert.timing.update_rate, Rows):
        return current
    place = [*operator.partition, WINDOW_START, WINDOW_END]
    came = current.selectExpr(*place, f"{ROWS_COME.name} AS {_CAME}")
    if shown is not None:
        parts = current.alias("d").join(shown.alias("s"), _lies_in(_keys(operator)))
        came = came.unionAll(parts.selectExpr(*(f"d.{name}" for name in place), f"-s.{ROWS_COME.name}"))
    came = came.groupBy(*place).agg(F.sum(_CAME).alias(_CAME))
    return current.alias("l").join(came.alias("r"), same(place)).select("l.*", _CAME)


def _with_state(
    insert: Insert, keys: list[str], shown: DataFrame | None, current: DataFrame, times: tuple[int | None, int]
) -> DataFrame:
    """The sessions with what they are if a version of them is due, where that is told; nothing is late about one that
    is shown as it is."""
    if insert.timing.result_state is None:
        return current
    if shown is None:
        return current.withColumn(STATE, F.expr(_state_sql(insert.timing, *times, "NULL")))
    values = [name for name in shown.columns if name != STATE]
    content = f"to_json(struct({', '.join(values)})) AS _nrt_content"
    bounds = [*keys, WINDOW_START, WINDOW_END]
    stands = shown.selectExpr(*bounds, content, f"{STATE} AS _nrt_stands")
    sessions = current.selectExpr("*", content).alias("l")
    told = sessions.join(stands.alias("r"), same([*bounds, "_nrt_content"]), "left").select("l.*", "_nrt_stands")
    return told.selectExpr(*current.columns, f"{_state_sql(insert.timing, *times, '_nrt_stands')} AS {STATE}")


def _alike(insert: Insert, sessions: DataFrame) -> DataFrame:
    """Sessions with the same bounds are of one state: a query may put them together."""
    if insert.timing.result_state is None:
        return sessions
    return sessions.withColumn(STATE, F.expr(f"max({STATE}) OVER (PARTITION BY {WINDOW_START}, {WINDOW_END})"))


def _state_sql(timing: OutputOptions, before: int | None, now: int, stands: str) -> str:
    """SQL over a session of which a version is due: what it is, as a place in `STATES`. `stands` is SQL of what it is
    already, NULL if it has changed since."""

    def reached(offset: int, at: int | None) -> str:
        return "false" if at is None else f"{WINDOW_END} + {offset - 1}L <= {at}L"

    complete = timing.complete_result
    last = f"WHEN {reached(timing.final, now)} THEN 3 " if timing.late_updates else ""
    late = f"WHEN {reached(complete, before)} THEN coalesce({stands}, 2) "
    return f"CASE {last}{late}WHEN {reached(complete, now)} THEN 1 ELSE 0 END"


def keep(store: SliceStore, insert: Insert, window: Window, rows: DataFrame, fired: int) -> tuple[StateFile, ...]:
    """What is shown of slots that can still change."""
    still = rows.where(f"{window.name(Sql(WINDOW_END))} > {fired}L")
    file = store.write(f"{insert.name}.shown", still.withColumnRenamed(WINDOW_END, SLICE)).file
    return () if file is None else (file,)


def kept(store: SliceStore, insert: Insert, files: tuple[StateFile, ...], like: DataFrame) -> DataFrame | None:
    """The rows that `keep` wrote, with the columns of these, and their state where that is told."""
    state = [] if insert.timing.result_state is None else [STATE]
    rows = store.read(files, [*(SLICE if name == WINDOW_END else name for name in like.columns), *state])
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
    if isinstance(timing.update_rate, Rows):
        early += f" AND {_CAME} >= {timing.update_rate.count}L"
    late = f"{instant(timing.complete_result)} <= {now}L" if timing.late_updates else "false"
    return " OR ".join([passes(timing.earliest), passes(timing.complete_result), f"({early})", f"({late})"])


def _keys(operator: WindowAggregate) -> list[str]:
    return [field.name for field in operator.keys]


def _lies_in(keys: list[str]) -> list[Column]:
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
