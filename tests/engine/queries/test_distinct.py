"""SELECT DISTINCT of groups, as a stream and in batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.small_tables import given, said_by_duckdb

BOUNDS = "window_start, window_end"
QUERIES = {
    "of windows": f"SELECT DISTINCT COUNT(*) AS c FROM lw GROUP BY k, {BOUNDS}",
    "inside windows": f"SELECT DISTINCT COUNT(*) AS c, window_end, window_start FROM lw GROUP BY k, {BOUNDS}",
    "of groups that change": "SELECT DISTINCT COUNT(*) AS c, MAX(n) > 10 AS dear FROM l GROUP BY k HAVING k < 4",
}


@pytest.mark.parametrize("what", QUERIES)
def test_rows(spark, tmp_path: Path, what: str) -> None:
    said = said_by_duckdb(QUERIES[what])
    assert said and given(spark, tmp_path, QUERIES[what]) == {"stream": said, "batch": said}
