"""What stands in parentheses is done first: its LIMIT, its OFFSET and its WITH are its own."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

QUERIES = {
    "a limit of a limit": "(SELECT k, n FROM l WHERE n > 0 ORDER BY n, k LIMIT 3) ORDER BY n DESC, k DESC LIMIT 2",
    "a limit behind an offset": "(SELECT k, n FROM l WHERE n > 0 ORDER BY n, k OFFSET 2) ORDER BY n, k LIMIT 2",
    "WITH in WITH": "WITH a AS (SELECT k, n FROM l WHERE n > 9) (WITH b AS (SELECT k, n FROM a) SELECT k FROM b)",
}
IN_DUCKDB = {"WITH in WITH": "SELECT k FROM l WHERE n > 9"}


@pytest.mark.parametrize(("what", "query"), QUERIES.items(), ids=QUERIES)
def test_rows(given, what: str, query: str) -> None:
    said = said_by_duckdb(IN_DUCKDB.get(what, query))
    assert said
    assert given(query) == {"stream": said, "batch": said}
