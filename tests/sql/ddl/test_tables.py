# ruff: noqa: E501 (a row of a table is one line)
"""CREATE TABLE: rowtimes and watermarks of every kind, metadata, and what LIKE takes over."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.tables import Table
from airflow_nrt.sql.ddl.ddl import declare
from airflow_nrt.sql.errors import Problems
from airflow_nrt.sql.parse.statements import parse_script
from tests.sample import REPORT, plan_of

OPTIONS = "WITH ('connector' = 'filesystem', 'path' = 'p', 'format' = 'json')"


def tables(script: str) -> dict[str, Table]:
    """What the CREATE TABLE statements of a script declare."""
    problems, found = Problems(), dict[str, Table]()
    for statement in parse_script(script, problems):
        found[statement.name] = declare(statement, found)  # type: ignore[arg-type, union-attr]
    problems.raise_any(script)
    return found


def table(body: str) -> Table:
    return tables(f"CREATE TABLE t ({body}) {OPTIONS};")["t"]


ROWTIMES = {
    "ts TIMESTAMP(0)": "TIMESTAMP(0)",
    "ts TIMESTAMP_LTZ(3)": "TIMESTAMP_LTZ(3)",
    "ts TIMESTAMP(3) WITH LOCAL TIME ZONE": "TIMESTAMP_LTZ(3)",
    "ts TIMESTAMP(3) NOT NULL": "TIMESTAMP(3)",
    "t TIMESTAMP(3), ts AS t": "TIMESTAMP(3)",
    "t STRING, ts AS TO_TIMESTAMP(t)": "TIMESTAMP(3)",
    "t STRING, ts AS TO_TIMESTAMP(t, 'yyyy-MM-dd HH:mm:ss') COMMENT 'parsed'": "TIMESTAMP(3)",
    "t STRING, ts AS CAST(t AS TIMESTAMP(3))": "TIMESTAMP(3)",
    "ms BIGINT, ts AS TO_TIMESTAMP(FROM_UNIXTIME(ms / 1000))": "TIMESTAMP(3)",
    "event ROW<at TIMESTAMP(3)>, ts AS event.at": "TIMESTAMP(3)",
    "event ROW<at ROW(t STRING)>, ts AS TO_TIMESTAMP(event.at.t)": "TIMESTAMP(3)",
}


@pytest.mark.parametrize("columns", ROWTIMES)
def test_a_rowtime(columns: str) -> None:
    declared = table(f"{columns}, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND")
    assert declared.watermark is not None
    assert (declared.watermark.rowtime, declared.watermark.expression) == ("`ts`", "(_nrt_ts - 5000L)")
    assert declared.rowtime_type.flink == ROWTIMES[columns]


WATERMARKS = {
    "ts": "(_nrt_ts - 0L)",
    "ts - INTERVAL '0' SECOND": "(_nrt_ts - 0L)",
    "ts - INTERVAL '0.001' SECOND": "(_nrt_ts - 1L)",
    "(ts - INTERVAL '1' DAY)": "(_nrt_ts - 86400000L)",
    "ts - '5' SECOND": "(_nrt_ts - 5000L)",
    "id": "CAST(`id` AS BIGINT)",
    "id - 1000": "CAST(CAST((`id` - 1000) AS BIGINT) AS BIGINT)",
    "seen": "unix_millis(CAST(`seen` AS TIMESTAMP))",
    "CASE WHEN last THEN ts END": "unix_millis(CAST(CASE WHEN `last` THEN `ts` ELSE CAST(NULL AS TIMESTAMP_NTZ) END AS TIMESTAMP))",
}


@pytest.mark.parametrize("strategy", WATERMARKS)
def test_a_watermark(strategy: str) -> None:
    columns = "id BIGINT, last BOOLEAN, seen TIMESTAMP(3), ts TIMESTAMP(3)"
    declared = table(f"{columns}, WATERMARK FOR ts AS {strategy}").watermark
    assert declared is not None
    assert declared.expression == WATERMARKS[strategy]


DELAYS = {
    "ts": 0,
    "ts - INTERVAL '0.001' SECOND": 1,
    "(ts - INTERVAL '1' DAY)": 86_400_000,
    "ts - INTERVAL '1' MONTH": None,
    "ts + INTERVAL '1' SECOND": None,
    "seen - INTERVAL '1' SECOND": None,
    "CASE WHEN last THEN ts END": None,
    "id - 1000": None,
}


@pytest.mark.parametrize("strategy", DELAYS)
def test_the_constant_delay_of_a_watermark(strategy: str) -> None:
    columns = "id BIGINT, last BOOLEAN, seen TIMESTAMP(3), ts TIMESTAMP(3)"
    declared = table(f"{columns}, WATERMARK FOR ts AS {strategy}").watermark
    assert declared is not None
    assert declared.delay == DELAYS[strategy]


@pytest.mark.parametrize("expression", ["PROCTIME()", "UPPER(s)", "CAST(PROCTIME() AS STRING)"])
def test_a_column_of_processing_time(expression: str) -> None:
    assert table(f"s STRING, c AS {expression}").column("c").proctime == (expression == "PROCTIME()")


def test_a_rowtime_inside_a_row() -> None:
    """FLIP-66's own example."""
    source = """CREATE TABLE orders (
        order_id STRING, event ROW<log_ts TIMESTAMP(3), message STRING, type INT>, shop STRING, price DECIMAL(10, 2),
        WATERMARK FOR event.log_ts AS event.log_ts - '5' SECOND
    )"""
    script = f"{source} {OPTIONS};{REPORT[REPORT.index('CREATE TABLE curve') :]}"
    plan = plan_of(script.replace("DESCRIPTOR(ts)", "DESCRIPTOR(event.log_ts)"))
    watermark = plan.source("orders").table.watermark
    assert watermark is not None
    assert (watermark.name, watermark.rowtime) == ("event.log_ts", "`event`.`log_ts`")
    assert (watermark.expression, watermark.reads) == ("(_nrt_ts - 5000L)", ("event",))
    assert plan.source("orders").columns == ("event", "shop", "price")
    view = "CREATE VIEW v AS SELECT event.log_ts AS ts, shop, price FROM orders;\nINSERT INTO"
    renamed = plan_of(script.replace("INSERT INTO", view).replace("TABLE orders,", "TABLE v,"))
    assert renamed.operators[0].window == plan.operators[0].window


def test_a_watermark_of_another_computed_column_computes_it() -> None:
    ddl = "ts TIMESTAMP(3), t STRING, w AS TO_TIMESTAMP(t), WATERMARK FOR ts AS w"
    script = REPORT.replace("ts TIMESTAMP(3),\n    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES", ddl)
    source = plan_of(script).source("orders")
    assert {"w", "ts"} <= set(source.columns) and "t" in source.physical


def test_a_format_in_upper_case() -> None:
    assert tables(f"CREATE TABLE t (a INT) {OPTIONS.replace('json', 'JSON')};")["t"].format == "json"


def test_metadata_is_computed_from_the_file() -> None:
    declared = table("a INT, p STRING NOT NULL METADATA FROM 'file.path' VIRTUAL, `file.name` STRING METADATA")
    assert [column.name for column in declared.physical] == ["a"]
    assert [column.metadata for column in declared.columns] == [None, "file.path", "file.name"]


# ---------------------------------------------------------------------------------------------------- LIKE

BASE = f"""CREATE TABLE base (
    a INT, t STRING, ts AS TO_TIMESTAMP(t), p STRING METADATA FROM 'file.path', ds STRING,
    PRIMARY KEY (a) NOT ENFORCED, WATERMARK FOR ts AS ts
) PARTITIONED BY (ds) {OPTIONS};
"""
LIKES = {
    "LIKE base": ("a t ts p ds", "ts", "ds", "a", "p"),
    "WITH ('path' = 'q') LIKE base (INCLUDING ALL OVERWRITING OPTIONS)": ("a t ts p ds", "ts", "ds", "a", "q"),
    "(b INT) LIKE base": ("a t ts p ds b", "ts", "ds", "a", "p"),
    "LIKE base (EXCLUDING WATERMARKS EXCLUDING GENERATED)": ("a t p ds", None, "ds", "a", "p"),
    "LIKE base (EXCLUDING METADATA)": ("a t ts ds", "ts", "ds", "a", "p"),
    f"{OPTIONS.replace(chr(39) + 'p' + chr(39), chr(39) + 'q' + chr(39))} LIKE base (INCLUDING PARTITIONS EXCLUDING ALL)": (
        "a t ds",
        None,
        "ds",
        "",
        "q",
    ),
    "PARTITIONED BY (t) LIKE base (EXCLUDING PARTITIONS EXCLUDING CONSTRAINTS)": ("a t ts p ds", "ts", "t", "", "p"),
    "(WATERMARK FOR ts AS ts - INTERVAL '1' DAY) LIKE base (OVERWRITING WATERMARKS)": (
        "a t ts p ds",
        "ts - INTERVAL '1' DAY",
        "ds",
        "a",
        "p",
    ),
    "(ts AS TO_TIMESTAMP(t, 'yyyy-MM-dd')) LIKE base (OVERWRITING GENERATED)": ("a t p ds ts", "ts", "ds", "a", "p"),
}


@pytest.mark.parametrize("clauses", LIKES)
def test_like(clauses: str) -> None:
    declared = tables(f"{BASE}CREATE TABLE t {clauses};")["t"]
    columns, watermark, partitions, key, path = LIKES[clauses]
    assert " ".join(column.name for column in declared.columns) == columns
    assert (declared.watermark.text if declared.watermark else None) == watermark
    assert (" ".join(declared.partition_keys), " ".join(declared.primary_key)) == (partitions, key)
    assert declared.path == path


def test_the_example_of_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "sql.md").read_text()
    declared = tables(text.partition("## Tables")[2].partition("```sql")[2].partition("```")[0])
    assert list(declared) == ["orders", "replay"]
    assert declared["orders"].rowtime_type.flink == "TIMESTAMP(3)"
