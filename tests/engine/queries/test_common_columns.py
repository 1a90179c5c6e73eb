"""JOIN … USING and NATURAL JOIN, as a stream and in batch."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

COUNTS = "(SELECT k, COUNT(*) AS c FROM {} GROUP BY k)"
BOUNDS = "window_start, window_end"
QUERIES = {
    "with all rows of both": f"SELECT k, l.c, r.c AS d FROM {COUNTS.format('l')} AS l FULL JOIN {COUNTS.format('r')} AS r USING (k)",  # noqa: E501
    "of three": "SELECT k, n, m, x FROM l LEFT JOIN r USING (k) JOIN (SELECT k, n AS x FROM l) AS o USING (k) WHERE k > 1",  # noqa: E501
    "of windows": f"SELECT k, n, m, window_end FROM lw RIGHT JOIN rw USING (k, {BOUNDS})",
    "aggregated": f"SELECT k, COUNT(*), window_end FROM lw JOIN rw USING (k, {BOUNDS}) GROUP BY k, {BOUNDS}",
    "natural": "SELECT k, w, n, m FROM (SELECT k, n AS w, n FROM l) a NATURAL FULL JOIN (SELECT k, m AS w, m FROM r) b",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}
