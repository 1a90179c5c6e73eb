"""What stands in parentheses is done first: its LIMIT, its OFFSET and its WITH are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.small_tables import given, said_by_duckdb

QUERIES = {
    "a limit of a limit": "(SELECT k, n FROM l WHERE n > 0 ORDER BY n, k LIMIT 3) ORDER BY n DESC, k DESC LIMIT 2",
    "a limit behind an offset": "(SELECT k, n FROM l WHERE n > 0 ORDER BY n, k OFFSET 2) ORDER BY n, k LIMIT 2",
    "WITH in WITH": "WITH a AS (SELECT k, n FROM l WHERE n > 9) (WITH b AS (SELECT k, n FROM a) SELECT k FROM b)",
}
IN_DUCKDB = {"WITH in WITH": "SELECT k FROM l WHERE n > 9"}


@pytest.mark.parametrize("what", QUERIES)
def test_rows(spark, tmp_path: Path, what: str) -> None:
    said = said_by_duckdb(IN_DUCKDB.get(what, QUERIES[what]))
    assert said and given(spark, tmp_path, QUERIES[what]) == {"stream": said, "batch": said}
