"""INTERSECT ALL, EXCEPT ALL and OFFSET, as a stream and in batch."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb

KEYS = "SELECT k FROM l {} ALL SELECT k FROM r"
NEW = "SELECT k, COUNT(*) AS c FROM {} GROUP BY k"
QUERIES = {
    "intersect": KEYS.format("INTERSECT"),
    "except": KEYS.format("EXCEPT"),
    "of what changes": f"{NEW.format('l')} EXCEPT ALL {NEW.format('r')}",
    "a second page": "SELECT k, n FROM l ORDER BY n DESC, k LIMIT 3 OFFSET 2",
    "all but the first": "SELECT k, COUNT(*) AS c FROM r WHERE k IS NOT NULL GROUP BY k ORDER BY c DESC, k OFFSET 1",
}
SAID = {"a second page": "SELECT k, n FROM l ORDER BY n DESC NULLS LAST, k NULLS FIRST LIMIT 3 OFFSET 2"}


@pytest.mark.parametrize(("what", "query"), QUERIES.items(), ids=QUERIES)
def test_rows(given, what: str, query: str) -> None:
    said = said_by_duckdb(SAID.get(what, query))
    assert said
    assert given(query) == {"stream": said, "batch": said}
