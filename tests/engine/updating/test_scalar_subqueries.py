# ruff: noqa: E501 (a row of a table is one line)
"""Queries as values: what is emitted as both sides arrive, and the table that is left."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

QUERIES = {
    "of all rows": "SELECT k, n - (SELECT MAX(m) FROM r) AS less FROM l WHERE n > (SELECT MIN(m) FROM r)",
    "of equal columns": "SELECT k, (SELECT COUNT(*) FROM r WHERE r.k = l.k) AS c FROM l WHERE n >= (SELECT MAX(r.m) FROM r WHERE r.k = l.k AND r.m > 5)",
    "of nothing, of a constant": "SELECT n + (SELECT 5) AS five, (SELECT MAX(m) FROM r WHERE k > 7) AS none FROM l",
    "beside groups": "SELECT k, SUM(n) - (SELECT MAX(m) FROM r) AS d FROM l GROUP BY k HAVING SUM(n) > 5",
    "inside aggregates": "SELECT k, SUM(n * (SELECT MAX(m) FROM r)) AS s, COUNT(*) FILTER (WHERE n < (SELECT MAX(m) FROM r)) AS c FROM l GROUP BY k",
    "of equal columns inside aggregates": "SELECT SUM(n + (SELECT COUNT(*) FROM r WHERE r.k = l.k)) AS s FROM l HAVING MAX(n - (SELECT MIN(m) FROM r)) > 0",
    "in a key": "SELECT CASE WHEN n > (SELECT AVG(m) FROM r) THEN 1 ELSE 0 END AS h, COUNT(*) AS c FROM l GROUP BY CASE WHEN n > (SELECT AVG(m) FROM r) THEN 1 ELSE 0 END",
    "in HAVING of one group": "SELECT 1 AS one FROM l HAVING COUNT(*) > (SELECT MIN(m) FROM r) AND 60 > (SELECT MAX(m) FROM r)",
    "above windows": "SELECT k, s FROM (SELECT k, window_start, window_end, SUM(n) AS s FROM lw GROUP BY k, window_start, window_end) AS w WHERE s > (SELECT MIN(m) FROM r)",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}
