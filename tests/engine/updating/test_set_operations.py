# ruff: noqa: E501 (a query of a table is one line)
"""UNION, EXCEPT and INTERSECT of rows that change, rows that are only added and rows of windows, in one query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, plan_of, write_lines
from tests.engine.small_tables import DDL, ROWS, rows, said_by_duckdb

SUMS = "SELECT k, SUM(n) AS n FROM l GROUP BY k"
WINDOWS = "SELECT k, SUM(n) AS n FROM lw GROUP BY k, window_start, window_end"
QUERIES = {
    "precedence": "SELECT k, n FROM l UNION SELECT k, n + 0 FROM l EXCEPT SELECT k, n FROM l WHERE n > 15",
    "from the left": "SELECT k FROM l EXCEPT SELECT k FROM r WHERE m > 15 EXCEPT SELECT k FROM l WHERE n = 30 UNION SELECT k FROM r WHERE m = 50",
    "INTERSECT binds more": "SELECT k, n FROM l UNION SELECT k, m FROM r INTERSECT SELECT k, n FROM l WHERE n > 15",
    "in parentheses": "(SELECT k, n FROM l UNION SELECT k, m FROM r) INTERSECT SELECT k, n FROM l WHERE n > 15",
    "groups and rows": f"{SUMS} UNION SELECT k, n FROM l",
    "rows and groups": f"SELECT k, m FROM r UNION {SUMS}",
    "rows without groups": f"SELECT k, n FROM l EXCEPT {SUMS}",
    "groups without rows": f"{SUMS} EXCEPT SELECT k, m FROM r",
    "both": f"{SUMS} INTERSECT SELECT k, n FROM l",
    "each time": f"SELECT k, n FROM l EXCEPT ALL {SUMS}",
    "windows and rows": f"{WINDOWS} UNION SELECT k, n FROM l",
    "windows without rows": f"{WINDOWS} EXCEPT SELECT k, m FROM r",
    "windows and groups": f"{WINDOWS} INTERSECT {SUMS}",
    "counted": f"SELECT n, COUNT(*) AS c FROM (SELECT k, n FROM l UNION ALL {SUMS}) AS t GROUP BY n",
    "counted with windows": f"SELECT COUNT(*) AS c, SUM(n) AS s FROM ({WINDOWS} UNION ALL SELECT k, n FROM l UNION ALL {SUMS}) AS t",
    "joined": f"SELECT r.k, t.n FROM r JOIN (SELECT k, n FROM l UNION ALL {SUMS}) AS t ON r.k = t.k",
    "ranked": f"SELECT k, n FROM (SELECT k, n, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS i FROM (SELECT k, n FROM l WHERE n < 20 UNION ALL {SUMS}) AS t) AS u WHERE i <= 1",
    "looked for": "SELECT k, m FROM r WHERE m IN (SELECT n FROM l WHERE n > 15 UNION ALL SELECT SUM(n) FROM l GROUP BY k)",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}


SINK = "CREATE TABLE o (k INT, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/o', 'format' = 'debezium-json');"


@pytest.mark.parametrize("what", ["precedence", "groups and rows"])
def test_a_report_of_many_batches_is_proven(spark, tmp_path: Path, what: str) -> None:
    """Rows of two files stand in one place each: their file distinguishes them."""
    plan = plan_of(
        tmp_path, DDL.replace("'path' = 'l'", "'path' = '${DATA}/l'"), SINK, f"INSERT INTO o {QUERIES[what]};"
    )
    stream = Stream(spark, plan, tmp_path / "home")
    for batch in range(len(ROWS["l"])):
        for n, row in enumerate(rows("l")[batch]):
            stream.absorb(write_lines(tmp_path / "l" / f"{batch}-{n}.json", [json.dumps(row)]), source="l")
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.equal == 1, verdict_lines(verdict)
    assert verdict.inserts[0].rows["equal"] == len(said_by_duckdb(QUERIES[what]))


@pytest.mark.parametrize(
    ("query", "column", "words"),
    [
        ("SELECT k, n FROM l\n  UNION SELECT k FROM r", 3, "UNION: one side has 2 columns, the other 1"),
        ("SELECT k FROM l\n  EXCEPT ALL SELECT ts FROM r", 3, "EXCEPT ALL: column 'k' is INT on one side"),
        ("SELECT k FROM l\n MINUS SELECT ts FROM r", 2, "MINUS: column 'k'"),
        ("SELECT k FROM l UNION SELECT k FROM l\n    UNION ALL SELECT ts FROM r", 5, "UNION ALL: column 'k'"),
    ],
)
def test_refused_where_it_stands(tmp_path: Path, query: str, column: int, words: str) -> None:
    with pytest.raises(InputError) as refused:
        plan_query(DDL, query, tmp_path)
    assert str(refused.value).startswith(f"line 2, column {column}: {words}")
