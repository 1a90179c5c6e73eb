"""IN and EXISTS of rows without windows: what is emitted as both sides arrive, and the table that is left."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

COUNTS = "SELECT k FROM r GROUP BY k HAVING COUNT(*) = 1"
QUERIES = {
    "in": "SELECT n FROM l WHERE n IN (SELECT m FROM r WHERE k < 3) AND k > 0",
    "not in": "SELECT k, n FROM l WHERE n NOT IN (SELECT m FROM r WHERE m > 10)",
    "not in with NULL": "SELECT k, n FROM l WHERE n NOT IN (SELECT k FROM r)",
    "not in nothing": "SELECT k, n FROM l WHERE n NOT IN (SELECT k FROM r WHERE m > 99)",
    "exists": "SELECT k, COUNT(*) FROM l WHERE EXISTS (SELECT * FROM r WHERE r.k = l.k AND m >= n) GROUP BY k",
    "not exists": "SELECT * FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE k = l.k AND r.m = n)",
    "of what changes": f"SELECT k, n FROM l WHERE k IN ({COUNTS}) AND NOT EXISTS (SELECT * FROM r WHERE m > l.n + 20)",
    "of changes": "SELECT k, c FROM (SELECT k, COUNT(*) AS c FROM l GROUP BY k) AS t WHERE c IN (SELECT COUNT(*) FROM r GROUP BY k)",  # noqa: E501
    "of a union, of a join": "SELECT l.n FROM l JOIN r USING (k) WHERE l.n NOT IN (SELECT m FROM r WHERE k = 1 UNION ALL SELECT n FROM l WHERE n > 25)",  # noqa: E501
}


@pytest.mark.parametrize(("what", "query"), QUERIES.items(), ids=QUERIES)
def test_rows(given, what: str, query: str) -> None:
    said = said_by_duckdb(query)
    assert given(query) == {"stream": said, "batch": said}
    assert bool(said) is (what != "not in with NULL")


WINDOW = "window_start, window_end"
SEVERAL = {
    "in": (
        "SELECT k, n FROM l WHERE (k, n) IN (SELECT k, m FROM r)",
        "SELECT k, n FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND m = n)",
    ),
    "in groups": (
        "SELECT k, n FROM l WHERE (k, n) IN (SELECT k, MAX(m) FROM r GROUP BY k)",
        "SELECT k, n FROM l WHERE EXISTS (SELECT k FROM r WHERE r.k = l.k GROUP BY k HAVING MAX(m) = n)",
    ),
    "not in": (
        "SELECT k, n FROM l WHERE (k, n) NOT IN (SELECT k, m FROM r WHERE m > 10)",
        "SELECT k, n FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE m > 10 AND (r.k = l.k AND m = n) IS NOT FALSE)",
    ),
    "in the same window": (
        f"SELECT k, n FROM lw WHERE ({WINDOW}, k) IN (SELECT {WINDOW}, k FROM rw)",
        "SELECT k, n FROM lw AS a WHERE EXISTS (SELECT 1 FROM rw WHERE rw.k = a.k AND rw.window_end = a.window_end)",
    ),
    "not in the same window": (
        f"SELECT k, n FROM lw WHERE ({WINDOW}, k, n) NOT IN (SELECT {WINDOW}, k, m FROM rw WHERE m < 50)",
        "SELECT k, n FROM lw AS a WHERE NOT EXISTS (SELECT 1 FROM rw WHERE m < 50 AND rw.window_end = a.window_end "
        "AND (rw.k = a.k AND m = n) IS NOT FALSE)",
    ),
}
"""IN of several columns, and what it means: DuckDB takes both sides as rows, in which NULL equals NULL."""


@pytest.mark.parametrize(("query", "meaning"), SEVERAL.values(), ids=SEVERAL)
def test_several_columns(given, query: str, meaning: str) -> None:
    said = said_by_duckdb(meaning)
    assert said
    assert given(query) == {"stream": said, "batch": said}
