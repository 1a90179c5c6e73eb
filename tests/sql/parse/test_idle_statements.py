"""Statements without an effect: they are passed over, and said once."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.cli.main import main
from airflow_nrt.describe.description import describe
from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.sql.planner import plan_report
from airflow_nrt.table import TableEnvironment

REPORT = """
CREATE TABLE t (k STRING) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');
CREATE TABLE o (k STRING) WITH ('connector' = 'filesystem', 'path' = 'o', 'format' = 'json');
INSERT INTO o SELECT k FROM {t};
"""
BEFORE = "nothing of that name is declared before it"
NAMES = "a report knows its tables by their own names, in whatever catalog and database they are"
SHOWN = "airflow-nrt plan shows what a report has and does"
JAVA = "connectors and formats are built in, and functions in Java can't run here"
HEADS = {
    "DROP TABLE IF EXISTS t": BEFORE,
    "drop temporary table if exists c.db.t": BEFORE,
    "DROP VIEW IF EXISTS v": BEFORE,
    "DROP TEMPORARY VIEW IF EXISTS v": BEFORE,
    "DROP TEMPORARY SYSTEM FUNCTION IF EXISTS f": BEFORE,
    "DROP FUNCTION IF EXISTS f": BEFORE,
    "DROP DATABASE IF EXISTS db CASCADE": BEFORE,
    "CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'db')": NAMES,
    "CREATE DATABASE IF NOT EXISTS db COMMENT 'of orders' WITH ('a' = 'b')": NAMES,
    "USE CATALOG default_catalog": NAMES,
    "USE default_catalog.default_database": NAMES,
    "USE MODULES core": NAMES,
    "SHOW TABLES": SHOWN,
    "SHOW CREATE TABLE t": SHOWN,
    "DESCRIBE t": SHOWN,
    "DESC t": SHOWN,
    "EXPLAIN PLAN FOR SELECT k FROM t": SHOWN,
    "EXPLAIN ESTIMATED_COST SELECT k FROM t": SHOWN,
    "RESET": "nothing was set before it",
    "RESET 'pipeline.name'": "nothing was set before it",
    "ADD JAR '/opt/x.jar'": JAVA,
    "REMOVE JAR '/opt/x.jar'": JAVA,
}


@pytest.mark.parametrize("statement", HEADS)
def test_passed_over(statement: str) -> None:
    plan = plan_report(f"{statement};{REPORT.format(t='t')}", "r", Path("/data"))
    assert without_effect(plan) == {f"statement {statement!r}": HEADS[statement]}
    assert [insert.name for insert in plan.inserts] == ["o"]
    assert describe(plan)["without_effect"] == without_effect(plan)


def test_what_is_opened_can_be_used() -> None:
    head = "CREATE CATALOG c WITH ('type' = 'generic_in_memory');\nUSE CATALOG c; CREATE DATABASE db; USE c.db; USE db;"
    plan = plan_report(head + REPORT.format(t="c.db.t"), "r", Path("/data"))
    assert len(without_effect(plan)) == 5


@pytest.mark.process
def test_check_says_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "report.sql").write_text("DROP TABLE IF EXISTS t;" + REPORT.format(t="t"))
    assert main(["check", str(tmp_path / "report.sql")]) == 0
    assert f"statement 'DROP TABLE IF EXISTS t' has no effect here: {BEFORE}" in capsys.readouterr().out


def test_in_programs() -> None:
    environment = TableEnvironment(base=Path("/data"))
    for statement in HEADS:
        environment.execute_sql(statement)
    declared, *_ = REPORT.split(";")
    environment.execute_sql(declared)
    assert environment.sql_query("SELECT k FROM t").columns
    environment.execute_sql("DROP TABLE IF EXISTS t")
    with pytest.raises(Exception, match="there is no table or view 't'"):
        environment.sql_query("SELECT k FROM t")
