# ruff: noqa: E501 (a query of a table is one line)
"""OVER among the rows of one window: shares, running sums, rankings and neighbours, as DuckDB and Flink compute them."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, ordered, plan_of, rows_of, source_file, write_lines
from tests.engine.small_tables import DDL, said_by_duckdb

SUMS = (
    "(SELECT k, window_start, window_end, SUM(n) AS s, COUNT(*) AS c FROM lw GROUP BY k, window_start, window_end) AS w"
)
ONE = "PARTITION BY window_start, window_end"
UP = "ORDER BY s NULLS FIRST, k NULLS FIRST"
QUERIES = {
    "a share": f"SELECT k, s, s - MAX(s) OVER ({ONE}) AS gap, CAST(s AS DOUBLE) / SUM(s) OVER ({ONE}) AS share FROM {SUMS}",
    "of keys in it": f"SELECT k, COUNT(*) OVER ({ONE}, c) AS a, COUNT(s) OVER ({ONE}) AS b, MIN(s) OVER (PARTITION BY window_end, c) AS m FROM {SUMS}",
    "running": f"SELECT k, SUM(s) OVER ({ONE} ORDER BY c) AS a, SUM(s) OVER (PARTITION BY window_end {UP} ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS b FROM {SUMS}",
    "standings": f"SELECT k, NTILE(2) OVER ({ONE} {UP}) AS a, PERCENT_RANK() OVER ({ONE} ORDER BY c) AS b, CUME_DIST() OVER ({ONE} ORDER BY c DESC) AS d, RANK() OVER ({ONE} ORDER BY c) AS e, ROW_NUMBER() OVER ({ONE} {UP}) AS f FROM {SUMS}",
    "neighbours": f"SELECT k, LAG(s) OVER ({ONE} {UP}) AS a, LEAD(s, 2, 0) OVER ({ONE} {UP}) AS b, s - LAG(s, 1, s) OVER ({ONE} {UP}) AS c FROM {SUMS}",
    "the best of rows": f"SELECT k, n, FIRST_VALUE(k) OVER ({ONE} ORDER BY n DESC NULLS LAST, k NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b, AVG(CAST(n AS DOUBLE)) OVER ({ONE}) AS a FROM lw WHERE k IS NOT NULL",
    "named": f"SELECT k, SUM(s) OVER w AS a, SUM(c) OVER w AS b FROM {SUMS} WINDOW w AS ({ONE} {UP})",
    "groups themselves": "SELECT k, SUM(n) AS s, SUM(SUM(n)) OVER (PARTITION BY window_start, window_end) AS whole FROM lw GROUP BY k, window_start, window_end",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}


TABLE = """
    CREATE TABLE t (k STRING, w INT, n INT, f DOUBLE, d DECIMAL(10, 2), ts AS TO_TIMESTAMP_LTZ(w * 60, 0), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/t', 'format' = 'json');
"""
SINK = """
    CREATE TABLE o (k STRING, w INT, s INT, a INT, d DECIMAL(38, 6), f DOUBLE, l INT, p DOUBLE)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/o', 'format' = 'parquet');
"""
QUERY = f"""
    INSERT INTO o SELECT k, w, SUM(n) OVER ({ONE} ORDER BY n DESC), AVG(n) OVER ({ONE}), AVG(d) OVER ({ONE}),
        AVG(f) OVER ({ONE}), FIRST_VALUE(n) OVER ({ONE} ORDER BY n), PERCENT_RANK() OVER ({ONE} ORDER BY n)
    FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE));
"""
GIVEN = [
    ("a", 1, 10, 1.5, 10.25), ("b", 1, 20, 2.5, 20.5), ("c", 1, 20, None, 1.0), ("d", 1, None, 3.5, 7.33),
    ("a", 2, 5, 1.0, 5.0), ("b", 2, 7, 2.0, None),
]  # fmt: skip
FLINK = [
    ("a", 1, 50, 16, Decimal("9.770000"), 2.5, 10, 1 / 3), ("b", 1, 40, 16, Decimal("9.770000"), 2.5, 10, 2 / 3),
    ("c", 1, 40, 16, Decimal("9.770000"), 2.5, 10, 2 / 3), ("d", 1, 50, 16, Decimal("9.770000"), 2.5, None, 0.0),
    ("a", 2, 12, 6, Decimal("5.000000"), 1.5, 5, 0.0), ("b", 2, 7, 6, Decimal("5.000000"), 1.5, 5, 1.0),
]  # fmt: skip
"""What Flink 2.3 gives, with PARTITION BY w in batch."""


def test_a_stream_is_proven_and_has_the_rows_of_flink(spark, tmp_path: Path) -> None:
    stream = Stream(spark, plan_of(tmp_path, TABLE, SINK, QUERY), tmp_path / "home")
    for n, rows in enumerate((GIVEN[:3], GIVEN[3:])):
        lines = [json.dumps(dict(zip("kwnfd", row))) for row in rows]
        stream.driver.absorb("t", [source_file(write_lines(tmp_path / "t" / f"{n}.json", lines))])
    stream.end()
    assert rows_of(tmp_path / "o") == ordered(FLINK)
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven, verdict_lines(verdict)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (f"NTILE(0) OVER ({ONE} ORDER BY s)", "NTILE wants a whole number of groups above 0, not 0"),
        (f"NTILE(2) OVER ({ONE})", "NTILE needs an ORDER BY inside OVER"),
        (f"LAG(s) OVER ({ONE})", "LAG needs an ORDER BY inside OVER"),
        (f"LAG(s, 1, 'x') OVER ({ONE} ORDER BY s)", "LAG: CHAR(1) is no INT: CAST it"),
        (f"FIRST_VALUE(s) OVER ({ONE})", "FIRST_VALUE needs an ORDER BY inside OVER"),
        (
            f"LAST_VALUE(s) OVER ({ONE} ORDER BY s)",
            "not there yet; write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
        ),
        (
            f"SUM(s) OVER ({ONE} ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
            "a frame of values in a window: not there yet; count ROWS",
        ),
        (f"COUNT(DISTINCT s) OVER ({ONE})", "COUNT takes neither DISTINCT nor FILTER"),
        (f"STDDEV_POP(s) OVER ({ONE})", "STDDEV_POP … OVER in a window: not there yet; there are COUNT, SUM"),
        (f"PERCENT_RANK() OVER ({ONE} ORDER BY s ROWS 1 PRECEDING)", "PERCENT_RANK takes no frame"),
        ("SUM(s) OVER (PARTITION BY window_start)", "OVER needs ORDER BY with the time attribute"),
    ],
)
def test_what_is_refused(tmp_path: Path, call: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        plan_query(DDL, f"SELECT {call} FROM {SUMS}", tmp_path)
    assert message in str(refused.value)
