"""Frames of row windows: a program and SQL say the same."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table import (
    CURRENT_RANGE,
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    UNBOUNDED_ROW,
    Expression,
    Over,
    TableEnvironment,
    col,
    lit,
    row_interval,
)
from airflow_nrt.table.windows.windows import OverWindow
from tests.engine.windows.framed import Frame, query, random_frames

DDL = """CREATE TABLE events (id BIGINT, shop INT, item STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');"""


def window(frame: Frame, name: str) -> OverWindow:
    def bound(length: int) -> Expression:
        if frame.unit == "ROWS":
            return row_interval(length) if length else CURRENT_ROW
        return lit(length).minutes if length else CURRENT_RANGE

    unbounded = UNBOUNDED_ROW if frame.unit == "ROWS" else UNBOUNDED_RANGE
    ordered = Over.partition_by(*map(col, frame.keys)) if frame.keys else Over
    low = unbounded if frame.low is None else bound(-frame.low)
    return ordered.order_by(col("ts")).preceding(low).following(bound(frame.high)).alias(name)


@given(seed=st.integers(0, 2**32))
def test_any_frames_in_one_select(seed: int) -> None:
    frames = random_frames(seed)
    environment = TableEnvironment(base=Path("/data"))
    environment.execute_sql(DDL)
    windows = [window(frame, f"w{n}") for n, frame in enumerate(frames)]
    sums = [col("id").sum.over(col(one.name)) for one in windows]
    rows = environment.from_path("events").over_window(*windows).select(col("id"), *sums)
    program, sql = environment.plan_of(rows), plan_query(DDL, query(frames), Path("/data"))
    assert program.operators == sql.operators
    assert program.operators[-1].parts > 1
