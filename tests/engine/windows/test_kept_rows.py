# ruff: noqa: E501 (a query is one line)
"""Kept are the rows and columns that can matter: results are what they are of all, as a stream and in batch."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

SAME = "a.window_start = b.window_start AND a.window_end = b.window_end AND a.k = b.k"
BOUNDS = "window_start, window_end"
QUERIES = {
    "both sides": f"SELECT a.n, b.m FROM lw AS a JOIN rw AS b ON {SAME} WHERE a.n > 10 AND b.m < 20",
    "the side that is not padded": f"SELECT a.n, b.m FROM lw AS a LEFT JOIN rw AS b ON {SAME} AND b.m < 20 AND a.n > 5 WHERE a.n < 30",
    "the side that is padded": f"SELECT a.n, b.m FROM lw AS a LEFT JOIN rw AS b ON {SAME} WHERE b.m IS NULL OR b.m < 20",
    "a table with itself": f"SELECT a.n, b.ts FROM lw AS a JOIN lw AS b ON {SAME} WHERE a.n <= 20 AND a.n = b.n",
    "in the same window": f"SELECT k FROM lw AS a WHERE n > 5 AND EXISTS (SELECT * FROM rw AS b WHERE {SAME} AND b.m > 10)",
    "the first": f"SELECT n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {BOUNDS}, k ORDER BY ts) AS place FROM lw WHERE n < 30) WHERE place = 1",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}
