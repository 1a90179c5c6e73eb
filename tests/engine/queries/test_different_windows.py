"""UNION ALL of different windows below other queries, as a stream and in batch."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

BOUNDS = "window_start, window_end"
BOTH = " UNION ALL ".join(f"SELECT k, COUNT(*) AS c FROM {view} GROUP BY k, {BOUNDS}" for view in ("lw", "rww"))
TIMED = " UNION ALL ".join(
    f"SELECT k, COUNT(*) AS c, window_time AS t FROM {view} GROUP BY k, {BOUNDS}, window_time" for view in ("lww", "rw")
)
QUERIES = {
    "grouped": f"SELECT k, SUM(c), COUNT(*) FROM ({BOTH}) AS t GROUP BY k HAVING COUNT(*) > 1",
    "filtered and told apart": f"SELECT 'l' AS side, k + 1 AS k, c FROM ({BOTH}) AS t WHERE c > 1",
    "beside rows": f"SELECT k * 2, c FROM ({BOTH} UNION ALL SELECT k, m FROM r) AS t WHERE c < 21",
    "joined": f"SELECT t.k, t.c, l.n FROM ({BOTH}) AS t JOIN l ON t.k = l.k",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}


def test_a_window_above(given) -> None:
    fours = "TABLE(TUMBLE(({}), DESCRIPTOR(t), INTERVAL '4' MINUTE))"
    counts = f"SELECT k, SUM(c), COUNT(*), {BOUNDS} FROM {fours.format(TIMED)} GROUP BY k, {BOUNDS}"
    start = "time_bucket(INTERVAL 4 MINUTE, t)"
    said = said_by_duckdb(
        f"SELECT k, SUM(c), COUNT(*), {start}, {start} + INTERVAL 4 MINUTE FROM ({TIMED}) GROUP BY ALL"
    )
    assert said and given(counts) == {"stream": said, "batch": said}
