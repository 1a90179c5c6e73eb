"""SELECT DISTINCT of groups, as a stream and in batch."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

BOUNDS = "window_start, window_end"
QUERIES = {
    "of windows": f"SELECT DISTINCT COUNT(*) AS c FROM lw GROUP BY k, {BOUNDS}",
    "inside windows": f"SELECT DISTINCT COUNT(*) AS c, window_end, window_start FROM lw GROUP BY k, {BOUNDS}",
    "of groups that change": "SELECT DISTINCT COUNT(*) AS c, MAX(n) > 10 AS dear FROM l GROUP BY k HAVING k < 4",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}
