"""How `query` prints values, also those inside of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines

DDL = """
CREATE TABLE t (
    n INT, r ROW<ts TIMESTAMP(3), at TIMESTAMP_LTZ(3), p DECIMAL(10, 2), s STRING, deep ROW<ts TIMESTAMP(6)>>,
    a ARRAY<TIMESTAMP(3)>, m MAP<STRING, DECIMAL(5, 1)>, plain ROW<x INT>
) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');
"""
ROW = {
    "n": 1,
    "r": {
        "ts": "2026-01-01 00:00:00",
        "at": "2026-01-01 00:00:00.5Z",
        "p": 1.5,
        "s": "x",
        "deep": {"ts": "2026-01-01 00:00:00.123456"},
    },
    "a": ["2026-01-01 00:00:00", None],
    "m": {"k": 2},
    "plain": {"x": None},
}
PRINTED = {
    "r": {
        "ts": "2026-01-01 00:00:00.000",
        "at": "2026-01-01 00:00:00.500Z",
        "p": "1.50",
        "s": "x",
        "deep": {"ts": "2026-01-01 00:00:00.123456"},
    },
    "a": ["2026-01-01 00:00:00.000", None],
    "m": {"k": "2.0"},
    "plain": {"x": None},
}


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_times_inside_of_rows_are_printed_as_elsewhere(spark, tmp_path: Path, mode: str) -> None:
    write_lines(tmp_path / "t" / "rows.json", [json.dumps(ROW), json.dumps({"n": 2})])
    plan = plan_query(DDL, "SELECT r, a, m, plain FROM t", tmp_path)
    lines = sorted((json.loads(line) for line in run_bounded(spark, plan, mode)), key=str, reverse=True)
    assert lines == sorted([PRINTED, dict.fromkeys(PRINTED)], key=str, reverse=True)
