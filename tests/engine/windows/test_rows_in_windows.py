"""Rows of a windowing function without GROUP BY: expressions over window columns, and columns that nobody reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines

MINUTES = {1: (1, 3, 20), 2: (2,)}
"""By id, the minutes of its rows."""
QUERIES = {
    "SESSION": (
        "SELECT id, TIMESTAMPDIFF(MINUTE, window_start, window_end) AS x FROM TABLE(SESSION(TABLE t PARTITION BY id, "
        "DESCRIPTOR(ts), INTERVAL '5' MINUTE))",
        [(1, 5), (1, 7), (1, 7), (2, 5)],
    ),
    "HOP": (
        "SELECT id, EXTRACT(MINUTE FROM window_end) AS x FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE, "
        "INTERVAL '20' MINUTE)) WHERE id = 2",
        [(2, 10), (2, 20)],
    ),
    "TUMBLE": (
        "SELECT EXTRACT(MINUTE FROM window_end) AS id, 1 AS x FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), "
        "INTERVAL '10' MINUTE))",
        [(10, 1), (10, 1), (10, 1), (30, 1)],
    ),
}


@pytest.mark.parametrize("mode", ["batch", "stream"])
@pytest.mark.parametrize("kind", QUERIES)
def test_expressions_over_window_columns(spark, tmp_path: Path, kind: str, mode: str) -> None:
    ddl = (
        "CREATE TABLE t (id INT, other INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path}/t', 'format' = 'json');"
    )
    rows = [{"id": one, "ts": f"2024-06-18 00:{at:02}:00"} for one, minutes in MINUTES.items() for at in minutes]
    rows.sort(key=lambda row: str(row["ts"]))
    write_lines(tmp_path / "t" / "a.json", map(json.dumps, rows))
    query, expected = QUERIES[kind]
    told = [json.loads(one) for one in run_bounded(spark, plan_query(ddl, query, tmp_path), mode)]
    assert sorted((one["id"], one["x"]) for one in told) == expected
