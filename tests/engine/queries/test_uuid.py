"""UUID(): a value of its own for each row and call, which a backfill and a verification find again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.expressions.functions.uuids import NAMESPACE
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table import TableEnvironment, col, uuid
from tests.engine.reports import MINUTE, MORNING, Stream, clock, plan_of, write_lines

TABLE = """CREATE TABLE t (n INT, k STRING, tags ARRAY<STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/t', 'format' = 'json');"""
MINUTES = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
HOPS = "TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE))"
GROUPED = f"FROM {MINUTES} GROUP BY k, window_start, window_end"


def out(columns: str) -> str:
    return f"CREATE TABLE o ({columns}) WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/o', 'format' = 'json');"


def fill(place: Path) -> list[Path]:
    """Six rows in three files, of which two are equal; a minute between them."""
    rows = [(1, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2)]
    lines = [
        json.dumps({"n": n, "k": "ab"[n % 2], "tags": ["x", "x"], "ts": clock(MORNING + at * MINUTE)}) for n, at in rows
    ]
    return [write_lines(place / "t" / f"{n}.json", lines[2 * n : 2 * n + 2], n + 1) for n in range(3)]


def written(place: Path) -> list[dict[str, Any]]:
    files = sorted((place / "o").rglob("*.json"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def result(spark: Any, place: Path, query: str, mode: str = "batch") -> list[dict[str, Any]]:
    lines = run_bounded(spark, plan_query(TABLE.replace("${DATA}/", ""), query, place), mode)
    return [json.loads(line) for line in lines]


def values(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield from (value for row in rows for name, value in row.items() if name.startswith("u"))


QUERIES = {
    "rows": ("SELECT n, UUID() AS u FROM t", 6),
    "a filter": ("SELECT UUID() AS u FROM t WHERE n > 1", 4),
    "two calls": ("SELECT UUID() AS u, UUID() AS u2, CONCAT(UUID(), UUID()) AS u3 FROM t", 18),
    "above another": ("SELECT UUID() AS u, u2 FROM (SELECT UUID() AS u2 FROM t)", 12),
    "one table twice": ("SELECT UUID() AS u FROM (SELECT n FROM t UNION ALL SELECT n FROM t)", 12),
    "twice the same SELECT": ("SELECT UUID() AS u FROM t UNION ALL SELECT UUID() AS u FROM t", 12),
    "UNNEST": ("SELECT UUID() AS u FROM t CROSS JOIN UNNEST(tags) AS x (tag)", 12),
    "constant rows": ("SELECT UUID() AS u FROM t CROSS JOIN (VALUES (1), (2), (3)) AS v (x)", 18),
    "beside constants": ("SELECT n, UUID() AS u FROM t UNION ALL SELECT * FROM (VALUES (1, UUID()), (1, UUID()))", 8),
    "a window of each row": (f"SELECT UUID() AS u, window_start FROM {MINUTES}", 6),
    "below windows": ("SELECT window_start, window_end, COUNT(DISTINCT x) AS n, MIN(x) AS u FROM TABLE(TUMBLE((SELECT UUID() AS x, ts FROM t), DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end", 3),  # noqa: E501
    "windows": (f"SELECT UUID() AS u, COUNT(*) AS n {GROUPED}", 5),
    "above windows": (f"SELECT UUID() AS u FROM (SELECT k, window_end, COUNT(*) AS n {GROUPED})", 5),
    "grouping sets": (f"SELECT UUID() AS u, COUNT(*) AS n FROM {MINUTES} GROUP BY GROUPING SETS ((k, window_start, window_end), (window_start, window_end), (window_start, window_end))", 11),  # noqa: E501
    "sessions": ("SELECT UUID() AS u, COUNT(*) AS n FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' SECOND)) GROUP BY k, window_start, window_end", 5),  # noqa: E501
    "groups that change": ("SELECT n, UUID() AS u, COUNT(*) AS c FROM t GROUP BY n", 5),
    "no FROM": ("SELECT UUID() AS u, UUID() AS u2", 2),
    "VALUES": ("SELECT UUID() AS u, u2 FROM (VALUES (UUID()), (UUID())) AS v (u2)", 4),
}  # fmt: skip


@pytest.mark.parametrize("what", QUERIES)
def test_stream_and_batch_give_each_row_the_same_value_of_its_own(spark, tmp_path: Path, what: str) -> None:
    query, count = QUERIES[what]
    fill(tmp_path)
    rows = result(spark, tmp_path, query)
    found = [text[at : at + 36] for text in values(rows) for at in range(0, len(text), 36)]
    calls = 4 if what == "two calls" else 3
    assert len(set(found)) == len(found) == count * calls // 3
    assert {UUID(one).version for one in found} == {5}
    streamed = result(spark, tmp_path, query, "stream")
    assert sorted(values(streamed)) == sorted(values(rows))


def test_it_is_computed_from_the_place_of_the_row(spark, tmp_path: Path) -> None:
    files = fill(tmp_path)
    rows = result(spark, tmp_path, QUERIES["rows"][0])
    names = [f"into result 1 of {file}@{n}" for file in files for n in range(2)]
    assert [row["u"] for row in rows] == [str(uuid5(NAMESPACE, name)) for name in names]


@pytest.mark.usefixtures("several_tasks")
def test_a_file_that_is_split_has_the_same_values(spark, tmp_path: Path) -> None:
    lines = [json.dumps({"n": n, "k": "a" * (n % 50), "tags": None, "ts": clock(MORNING)}) for n in range(300)]
    write_lines(tmp_path / "t" / "1.json", lines)
    whole = result(spark, tmp_path, QUERIES["rows"][0])
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1000b")
    try:
        split = result(spark, tmp_path, QUERIES["rows"][0])
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)
    assert len({row["u"] for row in whole}) == 300
    assert sorted(split, key=lambda row: row["n"]) == sorted(whole, key=lambda row: row["n"])


def identified(place: Path, sink: str = "o") -> Plan:
    """A report with values below its windows and above them."""
    view = "CREATE VIEW v AS SELECT k, ts, UUID() AS id FROM t;"
    windows = GROUPED.replace("TABLE t,", "TABLE v,")
    table = out("u STRING, id STRING, c BIGINT").replace("/o'", f"/{sink}'")
    return plan_of(place, TABLE, table, view, f"INSERT INTO o SELECT UUID(), MIN(id), COUNT(*) {windows};")


def test_a_report_is_proven_and_a_backfill_publishes_the_same(spark, tmp_path: Path) -> None:
    plan = identified(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    for file in fill(tmp_path):
        stream.absorb(file, source="t")
    stream.end()
    streamed = written(tmp_path)
    assert len(streamed) == 5
    assert verify(spark, plan, stream.home).is_proven
    backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 2 * MINUTE), False)
    assert written(tmp_path) == streamed


def test_another_home_gives_the_same_values(spark, tmp_path: Path) -> None:
    """Also if it reads other files before, as a backfill of some of the days does."""
    fill(tmp_path)
    whole, late = identified(tmp_path), identified(tmp_path, "late/o")
    backfill(spark, whole, Home.create(tmp_path / "home", whole), Interval(MORNING, MORNING + 3 * MINUTE), True)
    (tmp_path / "t" / "0.json").rename(tmp_path / "0.json")
    backfill(spark, late, Home.create(tmp_path / "other", late), Interval(MORNING + MINUTE, MORNING + 3 * MINUTE), True)
    assert len(written(tmp_path)) == 5
    assert written(tmp_path / "late") == written(tmp_path)[2:]


def test_inserts_that_read_a_view_get_its_values(spark, tmp_path: Path) -> None:
    """So a row of one table names a row of the other."""
    more = out("u STRING").replace("TABLE o", "TABLE p").replace("/o'", "/o/p'")
    view = "CREATE VIEW v AS SELECT n, UUID() AS u FROM t;"
    inserts = "INSERT INTO o SELECT u FROM v; INSERT INTO p SELECT u FROM v WHERE n = 2;"
    plan = plan_of(tmp_path, TABLE, out("u STRING"), more, view, inserts)
    stream = Stream(spark, plan, tmp_path / "home")
    for file in fill(tmp_path):
        stream.absorb(file, source="t")
    stream.end()
    found = [row["u"] for row in written(tmp_path)]
    assert len(found) == 7 and len(set(found)) == 6


def test_what_else_a_script_has_changes_no_value(tmp_path: Path) -> None:
    insert = "INSERT INTO o SELECT UUID() FROM t;"
    alone = plan_of(tmp_path, TABLE, out("u STRING"), insert)
    more = out("u STRING").replace("TABLE o", "TABLE p").replace("/o'", "/p'")
    beside = plan_of(
        tmp_path, TABLE, out("u STRING"), more, "INSERT INTO p SELECT UUID() FROM t;", f"-- a note\n{insert}"
    )
    assert alone.inserts[0].query == beside.inserts[1].query


def test_a_retraction_has_the_value_of_the_row(spark, tmp_path: Path) -> None:
    table = out("u STRING, c BIGINT").replace("'json'", "'debezium-json'")
    plan = plan_of(
        tmp_path,
        "SET 'table.exec.state.unbounded' = 'allow';",
        TABLE,
        table,
        "INSERT INTO o SELECT UUID(), COUNT(*) FROM t GROUP BY k;",
    )
    stream = Stream(spark, plan, tmp_path / "home")
    for file in fill(tmp_path):
        stream.absorb(file, source="t")
    stream.end()
    changes = written(tmp_path)
    before, after = ([one[side]["u"] for one in changes if one[side]] for side in ("before", "after"))
    assert len(set(after)) == 2 and len(after) > 2 and set(before) <= set(after)
    assert verify(spark, plan, stream.home).is_proven


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        (f"SELECT UUID(), COUNT(*) {GROUPED}", [1, 1, 1, 1, 2]),
        ("SELECT UUID(), COUNT(*) FROM t GROUP BY k", [2, 4]),
        ("SELECT UUID(), c FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k)", [2, 4]),
        ("SELECT UUID(), n FROM t", [1, 1, 2, 3, 4, 5]),
    ],
)
def test_it_may_be_the_key_of_a_sink(spark, tmp_path: Path, query: str, counts: list[int]) -> None:
    """Of groups that change it is that of the row that is replaced."""
    table = out("u STRING, c BIGINT, PRIMARY KEY (u) NOT ENFORCED").replace("'json'", "'debezium-json'")
    consent = "SET 'table.exec.state.unbounded' = 'allow';"
    plan = plan_of(tmp_path, consent, TABLE, table, f"INSERT INTO o {query};")
    stream = Stream(spark, plan, tmp_path / "home")
    for file in fill(tmp_path):
        stream.absorb(file, source="t")
    stream.end()
    # A count only grows.
    newest = dict(sorted((one["after"]["u"], one["after"]["c"]) for one in written(tmp_path) if one["after"]))
    assert sorted(newest.values()) == counts
    assert verify(spark, plan, stream.home).is_proven


def test_rows_that_a_lookup_join_makes_of_one_differ(spark, tmp_path: Path) -> None:
    names = """CREATE TABLE names (k STRING, name STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/names', 'format' = 'csv');"""
    table = TABLE.replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), pt AS PROCTIME(),")
    query = "SELECT UUID(), name FROM t JOIN names FOR SYSTEM_TIME AS OF t.pt AS d ON t.k = d.k"
    write_lines(tmp_path / "names" / "1.csv", ["a,one", "b,two", "b,three"])
    plan = plan_of(tmp_path, table, names, out("u STRING, name STRING"), f"INSERT INTO o {query};")
    stream = Stream(spark, plan, tmp_path / "home")
    for file in fill(tmp_path):
        stream.absorb(file, source="t")
    stream.end()
    found = [row["u"] for row in written(tmp_path)]
    assert len(found) == len(set(found)) == 2 + 2 * 4
    assert verify(spark, plan, stream.home).is_proven


REFUSED = {
    "WHERE": "SELECT n FROM t WHERE UUID() > 'a'",
    "GROUP BY": f"SELECT COUNT(*) FROM {MINUTES} GROUP BY UUID(), window_start, window_end",
    "DISTINCT": "SELECT DISTINCT UUID() FROM t",
    "an aggregate": f"SELECT MAX(UUID()) {GROUPED}",
    "several windows": f"SELECT UUID(), window_start FROM {HOPS}",
    "above several windows": f"SELECT UUID(), s FROM (SELECT CAST(window_start AS STRING) AS s FROM {HOPS})",
    "a join": f"SELECT UUID() FROM (SELECT k, window_start, window_end {GROUPED}) AS a JOIN (SELECT k, window_start, window_end {GROUPED}) AS b ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end",  # noqa: E501
    "OVER": "SELECT UUID(), c FROM (SELECT COUNT(*) OVER (PARTITION BY k ORDER BY ts) AS c FROM t)",
    "ON": f"SELECT a.k FROM (SELECT k, window_start, window_end {GROUPED}) AS a JOIN (SELECT k, window_start, window_end {GROUPED}) AS b ON a.k = UUID() AND a.window_start = b.window_start AND a.window_end = b.window_end",  # noqa: E501
    "windows without their keys": f"SELECT UUID() FROM (SELECT COUNT(*) AS n {GROUPED})",
}  # fmt: skip


@pytest.mark.parametrize("where", REFUSED)
def test_where_nothing_identifies_a_row_it_is_refused(tmp_path: Path, where: str) -> None:
    with pytest.raises(InputError, match=r"UUID\(\) is computed from what identifies its row, .* select it in"):
        plan_query(TABLE.replace("${DATA}/", ""), REFUSED[where], tmp_path)


def test_in_a_computed_column_it_is_refused(tmp_path: Path) -> None:
    table = TABLE.replace("n INT", "n INT, u AS UUID()")
    with pytest.raises(InputError, match=r"UUID\(\) in a computed column: not there yet; select it in a query"):
        plan_query(table, "SELECT n FROM t", tmp_path)
    with pytest.raises(InputError, match="UUID takes no arguments"):
        plan_query(TABLE, "SELECT UUID(n) FROM t", tmp_path)


def test_a_program_calls_it(spark, tmp_path: Path) -> None:
    """Each use of a table has calls of its own, as in PyFlink."""
    fill(tmp_path)
    environment = TableEnvironment(base=tmp_path)
    environment.execute_sql(TABLE.replace("${DATA}/", ""))
    environment.execute_sql("CREATE VIEW v AS SELECT n, UUID() AS u FROM t")
    rows = environment.from_path("t").select(uuid().alias("u"))
    with rows.union_all(rows).union_all(environment.from_path("v").select(col("u"))).execute().collect() as found:
        assert len({row["u"] for _, row in found}) == 18


def test_a_function_of_the_report_may_have_its_name(spark, tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "own.py").write_text("def same() -> str:\n    return 'x'\n")
    functions = "CREATE FUNCTION uuid AS 'own.same' LANGUAGE PYTHON;"
    plan = plan_query(functions + TABLE.replace("${DATA}/", ""), QUERIES["rows"][0], tmp_path)
    assert {json.loads(line)["u"] for line in run_bounded(spark, plan, "batch")} == {"x"}
