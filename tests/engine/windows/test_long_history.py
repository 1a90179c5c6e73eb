"""Distinct values against a long history: it is looked through, not moved, and the counts are the same."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame

from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows import slice_merge, window_state
from tests.engine.oracle import Windowing, count_in
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    Stream,
    curve_insert,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
)

WINDOWING = Windowing("CUMULATE", HOUR, 10 * MINUTE)


def test_counts_each_value_once(spark, tmp_path: Path, monkeypatch) -> None:
    frames: list[DataFrame] = []
    write = SliceStore.write

    def recorded(store: SliceStore, operator: str, partials: DataFrame, *more):
        frames.append(partials)
        return write(store, operator, partials, *more)

    monkeypatch.setattr(window_state, "FEW", 0)
    monkeypatch.setattr(SliceStore, "write", recorded)
    events = random_events(3, 120, 2 * HOUR)
    stream = Stream(spark, plan_of(tmp_path, events_table(), curve_insert(WINDOWING.sql, FEW)), tmp_path / "home")
    stream.absorb_batches(tmp_path, cut(events, 3, 3))
    stream.end()
    assert rows_of(tmp_path / "curve") == count_in(WINDOWING, [events], FEW)
    plans = [frame._jdf.queryExecution().executedPlan().toString() for frame in frames]
    assert any("BroadcastHashJoin" in plan and "LeftSemi" in plan for plan in plans)


def test_other_values_of_the_same_hash_do_no_harm(spark, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(window_state, "FEW", 0)
    monkeypatch.setattr(slice_merge, "_with_hash_of", lambda known, found: known)
    events = random_events(4, 120, 2 * HOUR)
    stream = Stream(spark, plan_of(tmp_path, events_table(), curve_insert(WINDOWING.sql, FEW)), tmp_path / "home")
    stream.absorb_batches(tmp_path, cut(events, 4, 3))
    stream.end()
    assert rows_of(tmp_path / "curve") == count_in(WINDOWING, [events], FEW)
