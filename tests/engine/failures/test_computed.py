"""A value that can't be computed ends the job with what it was, what was wrong, the expression and its place."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.table.reports.load import load_report

COLUMNS = "id INT, n BIGINT, d DOUBLE, m DECIMAL(10, 2), t STRING, a ARRAY<STRING>, ts TIMESTAMP(3)"
ROW = {"id": 7, "n": 2**63 - 1, "d": 1e12, "m": 99.5, "t": "12abc", "a": ["1", "x"], "ts": "2024-05-01 10:00:00"}
TRY = "TRY_CAST gives NULL for such a value"
ZERO = "NULLIF(divisor, 0) makes the result NULL"
WINDOWED = (
    "SELECT window_end, {} AS x FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
    "GROUP BY window_start, window_end"
)
MODES = ("stream", "batch")
WRONG = {
    "SELECT id, CAST(t AS INT) AS x FROM v": f"'12abc' can't be cast to INT: CAST(t AS INT) (line 1, column 12). {TRY}",
    "SELECT CAST(t AS TIMESTAMP(3)) FROM v": "'12abc' can't be cast to TIMESTAMP",
    "SELECT CAST(t AS DATE) FROM v": f"'12abc' can't be cast to DATE: CAST(t AS DATE) (line 1, column 8). {TRY}",
    "SELECT id FROM v WHERE CAST(t AS DOUBLE) > 1": (
        "'12abc' can't be cast to DOUBLE: CAST(t AS DOUBLE) (line 1, column 24)"
    ),
    "SELECT CAST(a AS ARRAY<INT>) AS x FROM v": "'x' can't be cast to INT: CAST(a AS ARRAY<INT>) (line 1, column 8)",
    "SELECT CAST(CAST(m AS STRING) AS DECIMAL(3, 2)) FROM v": (
        f"'99.50' can't be cast to DECIMAL(3, 2): CAST(CAST(m AS STRING) AS DECIMAL(3, 2)) (line 1, column 8). {TRY}"
    ),
    "SELECT CAST(d AS INT) FROM v": f"1.0E12 (DOUBLE) does not fit INT: CAST(d AS INT) (line 1, column 8). {TRY}",
    "SELECT id\n  / (id - 7) AS x FROM v": f"Division by zero: id / (id - 7) (line 1, column 8). {ZERO}",
    "SELECT m / 0 AS x,\n  m * 2 AS y FROM v": f"Division by zero: m / 0 (line 1, column 8). {ZERO}",
    "SELECT id, id % 0 AS x FROM v": f"Division by zero: id % 0 (line 1, column 12). {ZERO}",
    "SELECT id, MOD(id, 0) AS x FROM v": f"Division by zero: MOD(id, 0) (line 1, column 12). {ZERO}",
    "SELECT 1 + id / 0 / 2 AS x, id / 3 AS y FROM v": "Division by zero: id / 0 (line 1, column 12)",
    "SELECT id / 0 AS x, t FROM v WHERE id > id / 0": (
        "Division by zero: id / 0 (line 1, column 8 and line 1, column 41)"
    ),
    "SELECT n + id AS x FROM v": (
        "the result does not fit BIGINT: n + id (line 1, column 8). CAST what is computed with to a larger type"
    ),
    "SELECT id, ELEMENT(a) AS x FROM v": (
        "ELEMENT: the array has more than one element: ELEMENT(a) (line 1, column 12)"
    ),
    WINDOWED.format("SUM(CAST(t AS INT))"): "'12abc' can't be cast to INT: CAST(t AS INT) (line 1, column 24)",
    WINDOWED.format("MAX(id) / (COUNT(*) - 1)"): "Division by zero: MAX(id) / (COUNT(*) - 1) (line 1, column 20)",
    "SELECT k, 1 / (COUNT(*) - 1) AS x FROM (SELECT id AS k FROM v) GROUP BY k": (
        "Division by zero: 1 / (COUNT(*) - 1) (line 1, column 11)"
    ),
    "SELECT v.id FROM v JOIN v AS w ON v.id = w.id AND v.id / (w.id - 7) > 1": (
        "Division by zero: v.id / (w.id - 7) (line 1, column 51)"
    ),
}
FORMATS = ("json", "csv", "parquet")


def table(kind: str, columns: str = COLUMNS, options: str = "") -> str:
    watermark = ", WATERMARK FOR ts AS ts" if "ts TIMESTAMP" in columns else ""
    given = f"'connector' = 'filesystem', 'path' = 'v', 'format' = '{kind}'{options}"
    return f"CREATE TABLE v ({columns}{watermark}) WITH ({given});"


def failure_of(spark, plan: Plan, mode: str) -> str:
    with pytest.raises(Exception) as failure:
        list(run_bounded(spark, plan, mode))
    meaning = explained(failure.value, plan.origins)
    assert isinstance(meaning, DataError)
    said = str(meaning)
    assert not any(words in said for words in ("spark", "try_", "SQLSTATE", "JVM", "_nrt", "`"))
    return said


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("computed")
    (place / "v").mkdir()
    (place / "v" / "0.json").write_text(json.dumps(ROW) + "\n")
    return place


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", WRONG)
def test_what_where_and_the_way_out(spark, place: Path, query: str, mode: str) -> None:
    assert failure_of(spark, plan_query(table("json"), query, place), mode).startswith(WRONG[query])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", FORMATS)
def test_of_every_format(spark, tmp_path: Path, kind: str, mode: str) -> None:
    (tmp_path / "v").mkdir()
    if kind == "parquet":
        pq.write_table(pa.table({"id": pa.array([7], pa.int32()), "t": ["12abc"]}), tmp_path / "v" / "0.parquet")
    else:
        (tmp_path / "v" / f"0.{kind}").write_text('{"id": 7, "t": "12abc"}\n' if kind == "json" else "7,12abc\n")
    plan = plan_query(table(kind, "id INT, t STRING"), "SELECT id, CAST(t AS INT) AS x FROM v", tmp_path)
    assert "'12abc' can't be cast to INT: CAST(t AS INT) (line 1, column 12)" in failure_of(spark, plan, mode)


@pytest.mark.parametrize("mode", MODES)
def test_of_a_changelog(spark, tmp_path: Path, mode: str) -> None:
    (tmp_path / "v").mkdir()
    change = {"before": None, "after": {"id": 7, "t": "12abc"}, "op": "c"}
    (tmp_path / "v" / "0.json").write_text(json.dumps(change) + "\n")
    ddl = table("debezium-json", "id INT, t STRING, PRIMARY KEY (id) NOT ENFORCED")
    plan = plan_query(ddl, "SELECT id, CAST(t AS INT) AS x FROM v", tmp_path)
    assert "CAST(t AS INT) (line 1, column 12)" in failure_of(spark, plan, mode)


@pytest.mark.parametrize("mode", MODES)
def test_of_a_computed_column(spark, place: Path, mode: str) -> None:
    """It stands where the table is declared."""
    ddl = table("json", f"{COLUMNS},\n  half AS id / 0")
    said = failure_of(spark, plan_query(ddl, "SELECT half FROM v", place), mode)
    assert said.startswith("Division by zero: id / 0 (line 2, column 11)")


def test_of_a_program(spark, place: Path, tmp_path: Path) -> None:
    (tmp_path / "v").symlink_to(place / "v")
    (tmp_path / "halves.py").write_text(
        "from airflow_nrt.table import col\n\n\n"
        "def report(env):\n"
        f"    env.execute_sql({table('json')!r})\n"
        "    env.execute_sql(\"CREATE TABLE told (x INT) WITH ('connector' = 'filesystem', 'path' = 'told', "
        "'format' = 'json')\")\n"
        "    halves = env.from_path('v').select(\n"
        "        (col('id') / (col('id') - 7)).alias('x'),\n"
        "    )\n"
        "    halves.execute_insert('told')\n"
    )
    plan = load_report(f"{tmp_path}/halves:report")
    with pytest.raises(DataError, match=re.escape("Division by zero: id / (id - 7) (halves.py, line 8)")):
        Runner(spark, plan, Home.create(tmp_path / "home", plan), available_now=True).run()


def test_the_stack_is_in_the_log(spark, place: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd) -> None:
    """Of the driver; a command says the cause alone."""
    plan = plan_query(table("json"), "SELECT id / 0 AS x FROM v", place)
    caplog.set_level(logging.INFO)
    with pytest.raises(DataError):
        Runner(spark, plan, Home.create(tmp_path / "home", plan), available_now=True).run()
    assert "at org.apache.spark." in caplog.text
    assert "SQLQueryContextLogger" not in capfd.readouterr().err
