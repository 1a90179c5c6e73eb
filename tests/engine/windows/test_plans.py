"""No plan copies input rows into windows: what makes rows out of rows stands above an aggregate or a running window.

A distinct value of HOP is no copy: its range of windows is one mask, or two where it lies in two blocks.

Generate            copies of results: one for each window that repeats them
+- Window
   +- Aggregate     from here upward there is one row a key and slice
      +- Scan       input rows are read, never copied
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from pyspark.sql import DataFrame

from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows import execution
from airflow_nrt.engine.windows.layout_of import layout_of
from tests.engine.reports import (
    HOUR,
    Stream,
    curve_insert,
    cut,
    events_table,
    insert_result,
    plan_of,
    random_events,
    source_file,
    write_events,
)

WINDOWS = (
    "TUMBLE(INTERVAL '15' MINUTE)",
    "HOP(INTERVAL '10' MINUTE, INTERVAL '1' HOUR)",
    "CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' DAY)",
)
SETS = 3
"""Distinct values of AGGREGATES: of user_id, of user_id in dear rows, of item."""
_AGGREGATED = re.compile(r"\w*Aggregate|Window |FileScan parquet \[(?!.*\bx\d+#.*\] Batched).*\bn_all#")
"""An aggregate, a running window, or closed partials: these alone are stored without the distinct values."""
_MASKS = re.compile(r"Generate explode\(sequence\(.* div 62\).*\[_nrt_block#\d+L\]$")
_NODE = re.compile(r"^([ :+-]*)(?:\*\(\d+\) )?(\w+)(.*)$")


@pytest.mark.parametrize("window", WINDOWS)
def test_batch_reads_rows_once_a_distinct_set(spark, tmp_path: Path, window: str) -> None:
    file = write_events(tmp_path / "events" / "all.csv", random_events(1, 50, HOUR))
    plan = plan_of(tmp_path, events_table(), curve_insert(window))
    assert len(layout_of(plan.operators[0]).accumulators.sets) == SETS
    text = checked_plan(insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file)]}))
    assert 1 <= text.count("FileScan text") <= 1 + SETS, text


@pytest.mark.parametrize("window", WINDOWS)
def test_stream_reads_rows_once_a_distinct_set(spark, tmp_path: Path, window: str, monkeypatch) -> None:
    frames: list[DataFrame] = []
    monkeypatch.setattr(SliceStore, "write", recording_write(SliceStore.write, frames))
    prepare_firing = recording_firing(execution.SLICED.prepare_firing, frames)
    monkeypatch.setattr(execution, "SLICED", replace(execution.SLICED, prepare_firing=prepare_firing))
    stream = Stream(spark, plan_of(tmp_path, events_table(), curve_insert(window)), tmp_path / "home")
    stream.absorb_batches(tmp_path, cut(random_events(1, 60, 3 * HOUR), 1, 3))
    plans = [checked_plan(frame) for frame in frames]
    absorbed = [text for text in plans if "FileScan text" in text]
    assert len(absorbed) == 3 and all(text.count("FileScan text") == 1 for text in absorbed)
    # New partials, and the distinct values of earlier slices; after them what is kept.
    assert len(plans) >= 5
    assert all(text.count("FileScan parquet") <= 1 + SETS + SETS + 1 for text in plans), plans


def recording_write(write, frames: list[DataFrame]):
    def recorded(self, operator: str, partials: DataFrame, *more):
        frames.append(partials)
        return write(self, operator, partials, *more)

    return recorded


def recording_firing(prepare, frames: list[DataFrame]):
    def recorded(*arguments):
        firing = prepare(*arguments)
        frames.append(firing.results)
        return firing

    return recorded


# ---------------------------------------------------------------------------------------------------- plans as trees


def checked_plan(frame: DataFrame) -> str:
    """The physical plan's text."""
    text: str = frame._jdf.queryExecution().executedPlan().toString()
    assert not re.search(r"CartesianProduct|BroadcastNestedLoopJoin", text), text
    nodes = [(len(match[1]), match[2] + match[3]) for match in map(_NODE.match, text.splitlines()) if match]
    for place, (_, name) in enumerate(nodes):
        if name.startswith(("Generate", "Expand")) and not _MASKS.match(name):
            assert not has_raw_leaf(nodes, place), f"{name.split()[0]} over input rows:\n{text}"
    return text


def has_raw_leaf(nodes: list[tuple[int, str]], top: int) -> bool:
    """Whether a way from this node down to a leaf passes neither an aggregate nor a window, nor was stored by one."""
    depth, name = nodes[top]
    if _AGGREGATED.match(name):
        return False
    below = [*takewhile(lambda place: nodes[place][0] > depth, range(top + 1, len(nodes)))]
    if not below:
        return True
    nearest = min(nodes[place][0] for place in below)
    return any(has_raw_leaf(nodes, place) for place in below if nodes[place][0] == nearest)


def test_a_copied_row_would_be_found(spark) -> None:
    """The check itself: exploding input rows fails it, exploding groups does not."""
    rows = spark.range(10).selectExpr("id % 3 AS key", "id")
    with pytest.raises(AssertionError, match="Generate over input rows"):
        checked_plan(rows.selectExpr("*", "explode(sequence(1, id + 1)) AS n").groupBy("key").count())
    checked_plan(rows.groupBy("key").count().selectExpr("*", "explode(sequence(1, count)) AS n"))
