"""VALUES beside rows of tables: they arrive once, whatever else arrives, and home and verification know them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.identity.fingerprint import fingerprint
from tests.engine.reports import Stream, plan_of, rows_of, source_file, write_lines
from tests.engine.small_tables import said_by_duckdb

VALUES = "(VALUES (7, 70), (8, NULL), (7, 70)) AS v (k, n)"
QUERIES = {
    "beside": f"SELECT k, n FROM l UNION ALL SELECT * FROM {VALUES} WHERE k < 9",
    "before": "SELECT * FROM (VALUES (CAST(9 AS INT), CAST(1 AS BIGINT))) AS t (k, m) UNION ALL SELECT k, m FROM r",
    "twice": "SELECT k FROM l UNION ALL SELECT * FROM (VALUES (1), (2)) AS a (k) UNION ALL SELECT * FROM (VALUES (2), (NULL)) AS b (k)",  # noqa: E501
    "counted": f"SELECT k, COUNT(*) AS c FROM (SELECT k FROM l UNION ALL SELECT k FROM {VALUES}) AS u GROUP BY k",
    "without": f"SELECT k FROM (SELECT k FROM {VALUES}) AS a EXCEPT SELECT k FROM l",
    "windows": "SELECT k, SUM(n) AS s FROM lw GROUP BY k, window_start, window_end UNION ALL VALUES (0, 0)",
}
SINK = "CREATE TABLE o (k INT, n INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/o', 'format' = 'parquet');"


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}


def stream_of(spark, place: Path, query: str) -> Stream:
    table = "CREATE TABLE t (k INT, n INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t', 'format' = 'json');"
    return Stream(spark, plan_of(place, table, SINK, f"INSERT INTO o {query};"), place / "home")


def test_a_driver_that_begins_again_reads_them_no_second_time(spark, tmp_path: Path) -> None:
    query = "SELECT k, n FROM t UNION ALL VALUES (7, 70)"
    stream = stream_of(spark, tmp_path, query)
    first = source_file(write_lines(tmp_path / "t" / "a.json", [json.dumps({"k": 1, "n": 1})]))
    (constants,) = (one for one in stream.plan.sources if one.name != "t")
    stream.driver.absorb("t", [first])
    stream.driver.absorb(constants.name, arrived(spark, constants.table))
    again = stream_of(spark, tmp_path, query)
    position = again.driver.position.sources[constants.name]
    assert position.files == 1
    again.end()
    assert rows_of(tmp_path / "o") == [(1, 1), (7, 70)]
    verdict = verify(spark, again.plan, again.home)
    assert verdict.is_proven, verdict_lines(verdict)


def test_a_report_of_values_alone(spark, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path, "VALUES (1, 10), (2, CAST(NULL AS INT))")
    (constants,) = stream.plan.sources
    stream.driver.absorb(constants.name, arrived(spark, constants.table), ends=True)
    stream.end()
    assert rows_of(tmp_path / "o") == [(1, 10), (2, None)]
    assert verify(spark, stream.plan, stream.home).is_proven


def test_their_name_says_what_the_report_writes(spark, tmp_path: Path) -> None:
    one, same, other = (
        stream_of(spark, tmp_path / str(n), query).plan
        for n, query in enumerate(
            [
                "SELECT k, n FROM t UNION ALL VALUES (7, 70)",
                "SELECT k, n FROM t  UNION ALL VALUES ( 7, 70 )",
                "SELECT k, n FROM t UNION ALL VALUES (8, 70)",
            ]
        )
    )
    assert fingerprint(one).keys() == fingerprint(same).keys()
    assert fingerprint(one).keys() != fingerprint(other).keys()
