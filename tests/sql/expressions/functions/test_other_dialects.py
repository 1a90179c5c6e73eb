"""Names that other engines have for Flink's functions, and names that are almost those of windows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.aggregates import AGGREGATES
from airflow_nrt.sql.expressions.functions import CHANGING, ELSEWHERE, FUNCTIONS, MISSING
from airflow_nrt.sql.expressions.functions.clock import CLOCK_FUNCTIONS
from airflow_nrt.sql.expressions.functions.other_dialects import WRITTEN
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

HERE = {*FUNCTIONS, *AGGREGATES, *CLOCK_FUNCTIONS, "UUID"}


def test_what_they_write_is_here() -> None:
    assert not WRITTEN.keys() & (HERE | CHANGING | ELSEWHERE.keys() | MISSING.keys())
    calls = {name for text in WRITTEN.values() for name in re.findall(r"([A-Z_]+)\(", text)}
    assert calls - HERE == {"UNNEST", "TRY_CAST", "ROW_NUMBER"}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT NVL(id, 0) FROM orders", "8: there is no function NVL: write COALESCE(x, y)"),
        ("SELECT MEDIAN(DISTINCT id) FROM orders", "8: there is no function MEDIAN: write PERCENTILE(x, 0.5)"),
        (
            "SELECT COUNT(*) FROM orders GROUP BY DATE_TRUNC('day', ts)",
            "38: there is no function DATE_TRUNC: write FLOOR",
        ),
        (
            "SELECT 1 FROM orders GROUP BY TUMBEL(ts, INTERVAL '1' DAY)",
            "31: there is no function TUMBEL; did you mean 'TUM",
        ),
        (
            "SELECT COUNT(*) FROM orders GROUP BY ROLLUP(TUMBLE(ts, INTERVAL '1' DAY), shop)",
            "45: TUMBLE belongs in FROM, as TABLE(TUMBLE(TABLE …, DESCRIPTOR(…), …)) with GROUP BY window_start",
        ),
    ],
)
def test_names(query: str, message: str) -> None:
    with pytest.raises(SqlError, match=re.escape(f"line 1, column {message}")):
        plan_query(ORDERS, query, Path("/"))
