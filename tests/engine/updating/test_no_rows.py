"""An aggregate over all rows has one row, before any row has come and when all of them have been taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.engine.query import run_bounded, run_changelog
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import Stream, plan_of, write_lines
from tests.engine.small_tables import said_by_duckdb

NONE = "SELECT k, n FROM l WHERE n > 1000"
QUERIES = {
    "of each kind": f"SELECT COUNT(*) AS c, COUNT(n) AS cn, SUM(n) AS s, MIN(k) AS lo, MAX(k) AS hi FROM ({NONE}) AS t",
    "distinct": f"SELECT COUNT(DISTINCT n) AS d, SUM(DISTINCT k) AS s, COUNT(DISTINCT k) AS e FROM ({NONE}) AS t",
    "filtered": "SELECT COUNT(*) FILTER (WHERE n > 1000) AS c, SUM(n) FILTER (WHERE n > 1000) AS s FROM l",
    "computed with": f"SELECT COUNT(*) + 1 AS c, COALESCE(SUM(n), -1) AS s FROM ({NONE}) AS t",
    "kept by HAVING": f"SELECT COUNT(*) AS c FROM ({NONE}) AS t HAVING COUNT(*) = 0",
    "left out by HAVING": f"SELECT COUNT(*) AS c FROM ({NONE}) AS t HAVING COUNT(*) > 0",
    "of groups": f"SELECT COUNT(*) AS c, SUM(s) AS s FROM (SELECT k, SUM(n) AS s FROM ({NONE}) AS t GROUP BY k) AS g",
    "of an aggregate": f"SELECT COUNT(*) AS c, MAX(c) AS m FROM (SELECT COUNT(*) AS c FROM ({NONE}) AS t) AS g",
    "joined": f"SELECT l.k, g.c FROM l JOIN (SELECT COUNT(*) AS c FROM ({NONE}) AS t) AS g ON l.k > g.c",
    "of both sides": f"SELECT a.c, b.c AS d FROM (SELECT COUNT(*) AS c FROM ({NONE}) AS t) AS a "
    "CROSS JOIN (SELECT COUNT(*) AS c FROM r WHERE m > 1000) AS b",
    "as a value": f"SELECT k, (SELECT COUNT(*) FROM ({NONE}) AS t) AS c, "
    f"(SELECT MAX(n) FROM ({NONE}) AS t) AS m FROM r",
    "compared with": f"SELECT k FROM r WHERE m > (SELECT COUNT(*) FROM ({NONE}) AS t)",
    "looked for": f"SELECT k FROM r WHERE 0 IN (SELECT COUNT(*) FROM ({NONE}) AS t)",
    "numbered": f"SELECT c FROM (SELECT c, ROW_NUMBER() OVER (ORDER BY c) AS n FROM "
    f"(SELECT COUNT(*) AS c FROM ({NONE}) AS t) AS g) AS h WHERE n = 1",
    "of windows": "SELECT COUNT(*) AS c FROM (SELECT window_start, window_end, COUNT(*) AS c FROM lw WHERE n > 1000 "
    "GROUP BY window_start, window_end) AS w",
    "in windows": "SELECT COUNT(*) AS c FROM lw WHERE n > 1000 GROUP BY window_start, window_end",
    "by a constant": f"SELECT COUNT(*) AS c FROM ({NONE}) AS t GROUP BY k > 0",
}  # fmt: skip
ROWS_OR_NONE = ("left out by HAVING", "in windows", "by a constant")


@pytest.mark.parametrize(("what", "query"), QUERIES.items(), ids=QUERIES)
def test_rows(given, what: str, query: str) -> None:
    said = said_by_duckdb(query)
    assert bool(said) is (what not in ROWS_OR_NONE)
    assert given(query) == {"stream": said, "batch": said}


LISTS = "SELECT LISTAGG(w) AS a, JSON_ARRAYAGG(w) AS b, ARRAY_AGG(v) AS c, AVG(v) AS d, STDDEV_POP(v) AS e FROM t"
OF_NOTHING = {"a": None, "b": "[]", "c": None, "d": None, "e": None}


@pytest.mark.parametrize("there", ["no file", "an empty file", "an empty directory", "other rows"])
@pytest.mark.parametrize(
    ("form", "mode"), [("csv", "stream"), ("csv", "batch"), ("json", "batch"), ("debezium-json", "stream")]
)
def test_input_without_rows(spark, tmp_path: Path, form: str, there: str, mode: str) -> None:
    place = tmp_path / "t"
    place.mkdir()
    if there == "an empty directory":
        (place / "day=1").mkdir()
    elif there != "no file":
        row = {"v": 1, "w": "x"}
        line = {"csv": "1,x", "json": json.dumps(row), "debezium-json": json.dumps({"op": "c", "after": row})}[form]
        write_lines(place / f"1.{form}", [line] if there == "other rows" else [])
    ddl = f"CREATE TABLE t (v INT, w STRING) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = '{form}');"
    where = " WHERE v > 5" if there == "other rows" else ""
    for query, row in ((LISTS, OF_NOTHING), ("SELECT COUNT(*) AS n FROM t", {"n": 0})):
        plan = plan_query(ddl, query + where, tmp_path)
        assert [json.loads(line) for line in run_bounded(spark, plan, mode)] == [row]


ACCOUNTS = """CREATE TABLE t (id INT, v INT)
    WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'debezium-json', 'source.max-batch-size' = '1 b');"""


def changes(spark, place: Path, query: str, *batches: list[dict[str, object]]) -> list[str]:
    for n, batch in enumerate(batches):
        write_lines(place / "t" / f"{n}.json", map(json.dumps, batch))
    told = map(json.loads, run_changelog(spark, plan_query(ACCOUNTS, query, place), "stream"))
    return [f"{one['op']} {' '.join(map(str, one['row'].values()))}" for one in told]


def come(v: int) -> dict[str, object]:
    return {"op": "c", "after": {"id": v, "v": v}}


def gone(v: int) -> dict[str, object]:
    return {"op": "d", "before": {"id": v, "v": v}}


def test_changes(spark, tmp_path: Path) -> None:
    """Only the rows of the first batch are emitted of it: 0 is only where there are none."""
    query = "SELECT COUNT(*) AS n, SUM(v) AS s FROM t"
    batches = [come(1)], [gone(1)], [come(2), come(3)], [gone(3)], [gone(2)]
    assert changes(spark, tmp_path, query, *batches) == [
        "+I 1 1", "-U 1 1", "+U 0 None", "-U 0 None", "+U 2 5", "-U 2 5", "+U 1 2", "-U 1 2", "+U 0 None",
    ]  # fmt: skip


def test_changes_that_begin_with_nothing(spark, tmp_path: Path) -> None:
    query = "SELECT COUNT(*) AS n, COUNT(DISTINCT v) AS d FROM t WHERE v > 5"
    assert changes(spark, tmp_path, query, [come(1)], [come(2)], [come(6)], [gone(6)]) == [
        "+I 0 0", "-U 0 0", "+U 1 1", "-U 1 1", "+U 0 0",
    ]  # fmt: skip


def test_having_of_what_comes_and_goes(spark, tmp_path: Path) -> None:
    query = "SELECT COUNT(*) AS n FROM t HAVING COUNT(*) = 0"
    assert changes(spark, tmp_path, query, [come(1)], [gone(1)], [come(2)], [gone(2)]) == ["+I 0", "-D 0", "+I 0"]


TOTAL = """
CREATE TABLE total (n BIGINT, s INT{key}) WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/total', {sink});
INSERT INTO total SELECT COUNT(*), SUM(v) FROM t WHERE v > 5;"""
SINKS = {
    "changes": TOTAL.format(key="", sink="'format' = 'debezium-json'"),
    "table": TOTAL.format(key=", PRIMARY KEY (n) NOT ENFORCED", sink="'format' = 'json'"),
}


@pytest.mark.parametrize("sink", SINKS)
def test_report(spark, tmp_path: Path, sink: str) -> None:
    """It is published with the first batch, whatever that brings, or with the end; and the verifier says the same."""
    plan = plan_of(tmp_path, ACCOUNTS, SINKS[sink])
    (tmp_path / "t").mkdir()
    stream = Stream(spark, plan, tmp_path / "home")
    early = verify(spark, plan, stream.home)
    assert early.is_proven and not early.inserts, "nothing is published yet"
    for n, batch in enumerate(([come(1)], [come(6)], [gone(6)])):
        stream.absorb(write_lines(tmp_path / "t" / f"{n}.json", map(json.dumps, batch)), source="t")
        verdict = verify(spark, plan, stream.home)
        assert verdict.is_proven and verdict.equal == 1, verdict_lines(verdict)
    if sink == "table":
        (file,) = (tmp_path / "total").glob("*.json")
        assert file.read_text() == '{"n":0,"s":null}\n'
    else:
        lines = [line for file in sorted((tmp_path / "total").glob("*.json")) for line in file.read_text().splitlines()]
        assert sorted(json.loads(line)["after"]["n"] for line in lines if json.loads(line)["op"] == "c") == [0, 0, 1]


def test_report_whose_input_ends_without_rows(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, ACCOUNTS, SINKS["table"])
    (tmp_path / "t").mkdir()
    stream = Stream(spark, plan, tmp_path / "home")
    stream.end()
    (file,) = (tmp_path / "total").glob("*.json")
    assert file.read_text() == '{"n":0,"s":null}\n'
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.equal == 1, verdict_lines(verdict)
