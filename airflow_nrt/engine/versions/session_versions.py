"""Versions of sessions. Sessions are on no grid, and one that is published can still grow, or merge with another.

The state is the published sessions: the operator's rows, one for each key and session. A round computes all open
sessions, replaces published ones by those that contain them and have a version due, and publishes the slots whose rows
differ then. Each session has a state of its own, early or complete, because sessions of one slot may differ in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.query_frames import same
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.internal_columns import WINDOW_END, WINDOW_START
from airflow_nrt.model.operators import ROWS_COME, WindowAggregate
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.result_timing import COMPLETE, EARLY, LAST, LATE, OutputOptions, Rows
from airflow_nrt.model.windows import Sql, Window

STATE = "_nrt_state"
"""The column with a session's state, as an index of `STATES`."""
STATES = (EARLY, COMPLETE, LATE, LAST)
_CAME = "_nrt_came"


@dataclass(frozen=True)
class Turn:
    """The published sessions of an insert, before and after a round; `slots` are the slots that differ."""

    before: DataFrame | None
    after: DataFrame
    slots: tuple[int, ...]


def counted(insert: Insert, operator: WindowAggregate, sessions: DataFrame) -> DataFrame:
    """The sessions with a column of their number of rows, if updates are due by it."""
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
    """One round. `shown` are the published sessions, `current` all sessions that had not fired up to `fired`. `times`
    are the watermarks (ms) of the round before and of this one. `query` gives the insert's rows of sessions."""
    keys = _keys(operator)
    judged = _with_state(insert, keys, shown, _with_came(insert, operator, shown, current), times)
    due = judged.where(due_sql(insert.timing, *times)).drop(_CAME)

    def compared(sessions: DataFrame) -> DataFrame:
        """The rows by which versions are compared. With a rate in rows, a new number of rows is a difference, too."""
        if not isinstance(insert.timing.update_rate, Rows):
            return query(sessions)
        slot = f"{operator.window.name(Sql(WINDOW_END))} AS {WINDOW_END}"
        return sessions.selectExpr(f"* EXCEPT ({WINDOW_END})", f"{WINDOW_END} AS _nrt_until", slot)

    if shown is None:
        after = _alike(insert, due)
        return Turn(None, after, _changed_slots(None, compared(after)))
    others = shown.alias("s").join(due.alias("d"), _lies_in(keys), "left_anti")
    # A session that has grown stays published as it was, until the time at which that would have been complete.
    over = f"l.{WINDOW_END} > {fired}L AND l.{WINDOW_END} + {insert.timing.complete_result - 1}L <= {times[1]}L"
    there = current.select(*keys, WINDOW_START, WINDOW_END, F.lit(True).alias("_nrt_there"))
    others = others.alias("l").join(there.alias("r"), same([*keys, WINDOW_START, WINDOW_END]), "left")
    still = others.where(f"_nrt_there OR NOT ({over})").select("l.*")
    after = _alike(insert, still.unionByName(due))
    return Turn(shown, after, _changed_slots(compared(shown), compared(after)))


def _with_came(insert: Insert, operator: WindowAggregate, shown: DataFrame | None, current: DataFrame) -> DataFrame:
    """The sessions with `_nrt_came`, the number of rows since they were published, if updates are due by it."""
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
    """The sessions with the state of a version of them, if the sink has a column for it. A session that was published
    with the same rows keeps its state."""
    if insert.timing.result_state is None:
        return current
    if shown is None:
        return current.withColumn(STATE, F.expr(_state_sql(insert.timing, *times, "NULL")))
    values = [name for name in shown.columns if name != STATE]
    content = f"to_json(struct({', '.join(values)})) AS _nrt_content"
    bounds = [*keys, WINDOW_START, WINDOW_END]
    states = shown.selectExpr(*bounds, content, f"{STATE} AS _nrt_stands")
    sessions = current.selectExpr("*", content).alias("l")
    known = sessions.join(states.alias("r"), same([*bounds, "_nrt_content"]), "left").select("l.*", "_nrt_stands")
    return known.selectExpr(*current.columns, f"{_state_sql(insert.timing, *times, '_nrt_stands')} AS {STATE}")


def _alike(insert: Insert, sessions: DataFrame) -> DataFrame:
    """The sessions, with one state for equal bounds, because a query may combine them."""
    if insert.timing.result_state is None:
        return sessions
    return sessions.withColumn(STATE, F.expr(f"max({STATE}) OVER (PARTITION BY {WINDOW_START}, {WINDOW_END})"))


def _state_sql(timing: OutputOptions, before: int | None, now: int, published: str) -> str:
    """SQL of the state of a due version of a session, as an index of `STATES`. `published` is SQL of its published
    state, NULL if the session has changed since.

    >>> print(_state_sql(OutputOptions(), 1000, 2000, "NULL"))
    CASE WHEN _nrt_end + -1L <= 1000L THEN coalesce(NULL, 2) WHEN _nrt_end + -1L <= 2000L THEN 1 ELSE 0 END
    """

    def reached(offset: int, at: int | None) -> str:
        return "false" if at is None else f"{WINDOW_END} + {offset - 1}L <= {at}L"

    complete = timing.complete_result
    last = f"WHEN {reached(timing.final, now)} THEN 3 " if timing.late_updates else ""
    late = f"WHEN {reached(complete, before)} THEN coalesce({published}, 2) "
    return f"CASE {last}{late}WHEN {reached(complete, now)} THEN 1 ELSE 0 END"


def keep(store: SliceStore, insert: Insert, window: Window, rows: DataFrame, fired: int) -> tuple[StateFile, ...]:
    """Stores the published sessions of slots that can still change."""
    still = rows.where(f"{window.name(Sql(WINDOW_END))} > {fired}L")
    file = store.write(f"{insert.name}.shown", still.withColumnRenamed(WINDOW_END, SLICE)).file
    return () if file is None else (file,)


def kept(store: SliceStore, insert: Insert, files: tuple[StateFile, ...], like: DataFrame) -> DataFrame | None:
    """The sessions that `keep` stored, with the columns of `like`, and their state if the sink has a column for it."""
    state = [] if insert.timing.result_state is None else [STATE]
    rows = store.read(files, [*(SLICE if name == WINDOW_END else name for name in like.columns), *state])
    return None if rows is None else rows.withColumnRenamed(SLICE, WINDOW_END)


def due_sql(timing: OutputOptions, before: int | None, now: int) -> str:
    """SQL predicate: a version of a session is due, provided that its rows have changed.

    >>> print(due_sql(OutputOptions(), 1000, 2000))
    (_nrt_end + -1L <= 2000L AND _nrt_end + -1L > 1000L) OR (_nrt_end + -1L <= 2000L AND _nrt_end + -1L > 1000L) OR
    (_nrt_end + -1L <= 2000L AND _nrt_end + -1L > 2000L) OR (false)
    """

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
    """Whether a published session `s` is part of a session `d`."""
    inside = F.expr(f"d.{WINDOW_START} <= s.{WINDOW_START} AND d.{WINDOW_END} >= s.{WINDOW_END}")
    return [*(F.expr(f"s.{key} <=> d.{key}") for key in keys), inside]


def _changed_slots(before: DataFrame | None, after: DataFrame) -> tuple[int, ...]:
    """The slots whose rows differ, as multisets."""

    def counted(frame: DataFrame, sign: int) -> DataFrame:
        return frame.selectExpr(WINDOW_END, "to_json(struct(*)) AS row", f"{sign} AS n")

    rows = counted(after, 1) if before is None else counted(after, 1).unionAll(counted(before, -1))
    differing = rows.groupBy(WINDOW_END, "row").agg(F.sum("n").alias("n")).where("n <> 0")
    return tuple(sorted(row[0] for row in differing.select(WINDOW_END).distinct().collect()))
