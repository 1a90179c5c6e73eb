"""Statements that change what was declared before: they count for what follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query, plan_report

FILES = "WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json')"
SOURCE = f"CREATE TABLE t (a INT, b STRING) {FILES.format('t')};"
SINK = f"CREATE TABLE o (a INT, b STRING) {FILES.format('o')};"
PARTED = f"CREATE TABLE p (a INT, ds STRING, hh INT) PARTITIONED BY (ds, hh) {FILES.format('p')};"
INSERT = "INSERT INTO o SELECT a, b FROM t;"


def planned(*statements: str) -> Plan:
    return plan_report("\n".join(statements), "report", Path("/data"))


def refused(*statements: str) -> str:
    with pytest.raises(SqlError) as wrong:
        planned(*statements)
    return wrong.value.message


def same(one: Plan, other: Plan) -> bool:
    return one.inserts[0].query == other.inserts[0].query and one.sources == other.sources


def test_a_view_that_is_dropped_or_replaced() -> None:
    first, second = "VIEW v AS SELECT a, 'x' AS b FROM t;", "VIEW v AS SELECT a, b FROM t;"
    read = "INSERT INTO o SELECT a, b FROM v;"
    wanted = planned(SOURCE, SINK, f"CREATE {second}", read)
    assert same(planned(SOURCE, SINK, f"CREATE {second}", read, "DROP VIEW v;"), wanted)
    assert same(planned(SOURCE, SINK, f"CREATE {first}", f"CREATE OR REPLACE {second}", read), wanted)
    assert same(planned(SOURCE, SINK, f"CREATE OR REPLACE TEMPORARY {second}", read), wanted)
    assert same(
        planned(SOURCE, SINK, f"CREATE {first}", "DROP TEMPORARY VIEW IF EXISTS v;", f"CREATE {second}", read), wanted
    )


def test_each_insert_reads_the_view_of_its_time() -> None:
    other = SINK.replace("TABLE o", "TABLE o2").replace("'o'", "'o2'")
    views = ["CREATE VIEW v AS SELECT a, b FROM t;", "CREATE OR REPLACE VIEW v AS SELECT a, UPPER(b) AS b FROM t;"]
    inserts = ["INSERT INTO o SELECT a, b FROM v;", "INSERT INTO o2 SELECT a, b FROM v;"]
    plan = planned(SOURCE, SINK, other, views[0], inserts[0], views[1], inserts[1])
    assert [("upper" in one.query.sql.lower()) for one in plan.inserts] == [False, True]


def test_what_was_dropped_is_not_there() -> None:
    view = "CREATE VIEW v AS SELECT a, b FROM t;"
    assert refused(SOURCE, SINK, view, "DROP VIEW v;", "INSERT INTO o SELECT a, b FROM v;").startswith(
        "there is no table or view 'v'"
    )
    assert refused(SOURCE, SINK, "DROP TABLE t;", INSERT).startswith("there is no table or view 't'")
    assert refused(SOURCE, SINK, view, "DROP TABLE t;", "INSERT INTO o SELECT a, b FROM v;").startswith(
        "there is no table or view 't'"
    )
    assert refused(SOURCE, SINK, INSERT, "DROP VIEW w;") == "there is no view 'w' to drop"
    assert refused(SOURCE, SINK, INSERT, "DROP TABLE orders_;") == "there is no table 'orders_' to drop"


def test_a_table_is_declared_anew() -> None:
    """Until an INSERT has used it: its rows and results go by its name."""
    other = SOURCE.replace("'t'", "'elsewhere'")
    assert planned(other, SINK, "DROP TABLE t;", SOURCE, INSERT).sources[0].table.path == "/data/t"
    message = "'t' was dropped after an INSERT that uses it: a report has one table of a name, so give this one another"
    assert refused(SOURCE, SINK, INSERT, "DROP TABLE t;", other) == message
    assert same(planned(SOURCE, SINK, INSERT, "DROP TABLE t;", "DROP TABLE o;"), planned(SOURCE, SINK, INSERT))


def test_options_that_are_altered() -> None:
    altered = planned(SOURCE, SINK, "ALTER TABLE t SET ('path' = 'u', 'source.max-batch-size' = '1 b');", INSERT)
    assert altered.sources[0].table.options["path"] == "/data/u"
    assert altered.sources[0].table.options["source.max-batch-size"] == "1 b"
    back = ["ALTER TABLE t SET ('source.max-batch-size' = '1 b');", "ALTER TABLE t RESET ('source.max-batch-size');"]
    assert same(planned(SOURCE, SINK, *back, INSERT), planned(SOURCE, SINK, INSERT))
    view = "CREATE VIEW v AS SELECT a, b FROM t;"
    through = planned(SOURCE, SINK, view, "ALTER TABLE t SET ('path' = 'u');", "INSERT INTO o SELECT a, b FROM v;")
    assert through.sources[0].table.path == "/data/u"


def test_options_that_can_not_be_altered() -> None:
    later = "ALTER TABLE t SET ('path' = 'u');"
    assert refused(SOURCE, SINK, INSERT, later).startswith(
        "ALTER TABLE 't' after an INSERT that uses it: put it before the first"
    )
    assert refused(SOURCE, SINK, "ALTER TABLE tt SET ('path' = 'u');", INSERT).startswith(
        "there is no table 'tt' to alter"
    )
    assert "there is no option 'pth'; did you mean 'path'?" in refused(
        SOURCE, SINK, "ALTER TABLE t SET ('pth' = 'u');", INSERT
    )
    assert refused(SOURCE, SINK, "ALTER TABLE t RESET ('csv.x');", INSERT) == (
        "table 't' is declared without 'csv.x': leave RESET out"
    )
    assert refused(SOURCE, SINK, "ALTER TABLE t RENAME TO u;", INSERT).startswith(
        "only ALTER TABLE … SET ('key' = 'value')"
    )
    assert refused(SOURCE, SINK, "ALTER VIEW v RENAME TO u;", INSERT).startswith("ALTER VIEW has no place in a report")


def test_settings_that_are_taken_back() -> None:
    name = "SET 'pipeline.name' = 'x';"
    assert planned(name, "RESET 'pipeline.name';", SOURCE, SINK, INSERT).name == "report"
    assert planned(name, "RESET;", SOURCE, SINK, INSERT).settings == ()
    assert planned("SET 'table.local-time-zone' = 'Asia/Tokyo';", "RESET;", SOURCE, SINK, INSERT).settings == ()
    assert plan_query(f"{name} RESET; {SOURCE}", "SELECT a FROM t", Path("/data")).settings == ()
    after = planned(name, SOURCE, SINK, INSERT, "RESET 'pipeline.name';")
    assert after.name == "x"
    assert without_effect(after)["statement \"RESET 'pipeline.name'\""] == "no INSERT follows it"
    other = SINK.replace("TABLE o", "TABLE o2").replace("'o'", "'o2'")
    between = refused(name, SOURCE, SINK, other, INSERT, "RESET;", "INSERT INTO o2 SELECT a, b FROM t;")
    assert between == "RESET between two INSERTs: all of a report have the same settings"


def test_a_partition_that_is_named() -> None:
    plan = planned(SOURCE, PARTED, "INSERT INTO p PARTITION (ds = '2024-06-18', hh = 7) SELECT a FROM t;")
    assert "CAST('2024-06-18' AS STRING)" in plan.inserts[0].query.sql
    some = planned(SOURCE, PARTED, "INSERT INTO p PARTITION (hh, ds = '2024-06-18') SELECT a, a FROM t;")
    assert [field.name for field in some.inserts[0].query.fields] == ["a", "ds", "hh"]
    assert refused(SOURCE, PARTED, "INSERT INTO p PARTITION (ds = '1') SELECT a FROM t;").endswith(
        "table 'p' takes 2 (a, hh)"
    )
    assert refused(SOURCE, PARTED, "INSERT INTO p PARTITION (a = 1) SELECT 'x', 1 FROM t;") == (
        "table 'p' has no partition column 'a': it has ds, hh"
    )
    assert refused(SOURCE, PARTED, "INSERT INTO p PARTITION (ds = b, hh = 1) SELECT a FROM t;") == (
        "PARTITION takes a text or a number: b is none"
    )
