"""VALUES and SELECT without FROM, as a stream and in batch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query
from tests.engine.small_tables import said_by_duckdb

NAMES = "(VALUES (1, 'one'), (2, 'two'), (2, 'zwei'), (NULL, 'none')) AS t(k, name)"
BOUNDS = "window_start, window_end"
QUERIES = {
    "joined twice": f"SELECT l.k, n, name, m FROM l JOIN {NAMES} ON l.k = t.k LEFT JOIN r ON r.k = l.k AND r.m = l.n",
    "below windows": f"SELECT name, COUNT(*), window_end FROM lw LEFT JOIN {NAMES} ON lw.k = t.k AND n > 10 GROUP BY name, {BOUNDS}",  # noqa: E501
    "of the same window": f"SELECT name, c FROM (SELECT k, COUNT(*) AS c, {BOUNDS} FROM lw GROUP BY k, {BOUNDS}), {NAMES.replace('(k,', '(x,')} WHERE k = x",  # noqa: E501
    "of what changes": f"SELECT name, k, c FROM {NAMES} RIGHT JOIN (SELECT k, COUNT(*) AS c FROM l GROUP BY k) AS g USING (k)",  # noqa: E501
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_nothing_but_constants(spark, mode: str) -> None:
    query = f"SELECT k + 1 AS k, UPPER(name) AS name FROM {NAMES} WHERE k < 2 UNION ALL SELECT 7, 'x' ORDER BY k DESC"
    lines = run_bounded(spark, plan_query("", query, Path("/")), mode)
    assert list(map(json.loads, lines)) == [{"k": 7, "name": "x"}, {"k": 2, "name": "ONE"}]
