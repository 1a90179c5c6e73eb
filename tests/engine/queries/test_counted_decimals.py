"""Numbers that do not fit their DECIMAL are counted wherever a report computes one, with the place of the row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.cli.main import main
from airflow_nrt.engine.batch.batch import insert_result
from airflow_nrt.engine.functions.nulled_values import nulled
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.notes.nulled import nulled_expressions
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream, write_lines

ROWS = [
    {"id": 1, "n": 70000, "k": 1, "ts": "2024-06-18 00:01:00"},
    {"id": 2, "n": 7, "k": 2, "ts": "2024-06-18 00:02:00"},
    {"id": 3, "n": None, "k": 3, "ts": "2024-06-18 00:03:00"},
]
"""70000 does not fit a DECIMAL(4, 1)."""
VERSIONS = [{"op": "c", "before": None, "after": {"id": 1, "n": 70000, "ts": "2024-06-18 00:00:00"}}]
TABLES = """
SET 'table.exec.state.unbounded' = 'allow';
CREATE TABLE t (id INT, n BIGINT, k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS CAST({mark} AS BIGINT))
WITH ('connector' = 'filesystem', 'path' = '{place}/t', 'format' = 'json', 'source.monitor-interval' = '1s');
CREATE TABLE d (id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{place}/d', 'format' = 'json');
CREATE TABLE v (id INT, n BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{place}/v', 'format' = 'debezium-json');
"""
SINK = """
CREATE TABLE {name} (id INT, x STRING) WITH ('connector' = 'filesystem', 'path' = '{place}/{name}', 'format' =
'debezium-json');
INSERT INTO {name} SELECT id, CAST(x AS STRING) FROM ({query});
"""
ROW = "in row 0 of {place}/t/a.json, whose rowtime is 2024-06-18 00:01:00"
UNNUMBERED = ROW.replace("row 0", "a row")
WINDOW = "in the window that ends at 2024-06-18 01:00:00"
HOUR = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
SUMS = f"(SELECT id, window_start, window_end, SUM(n) AS s FROM {HOUR} GROUP BY id, window_start, window_end)"
CASES = {
    # Where it is: an expression, where that is counted, and a query with it.
    "on_of_windows": (
        "CAST(a.s AS DECIMAL(4, 1))",
        WINDOW,
        f"SELECT a.id, b.s AS x FROM {SUMS} AS a JOIN {SUMS} AS b ON a.window_start = b.window_start AND a.window_end ="
        " b.window_end AND a.id = b.id AND {} > 0",
    ),
    "on_of_a_side": (
        "CAST(a.n AS DECIMAL(4, 1))",
        ROW,
        "SELECT a.id, b.id AS x FROM t AS a JOIN t AS b ON a.id = b.k AND {} > 0",
    ),
    "on_of_both": (
        "CAST(a.n + b.n AS DECIMAL(4, 1))",
        "in ON",
        "SELECT a.id, b.id AS x FROM t AS a JOIN t AS b ON a.id = b.k AND {} > 0",
    ),
    "on_of_values": (
        "CAST(t.n AS DECIMAL(4, 1))",
        ROW,
        "SELECT id, x FROM t JOIN (VALUES (1), (2)) AS c (x) ON {} > x",
    ),
    "lookup": (
        "CAST(o.n AS DECIMAL(4, 1))",
        UNNUMBERED,
        "SELECT o.id, d.n AS x FROM (SELECT *, PROCTIME() AS p FROM t) AS o LEFT JOIN d FOR SYSTEM_TIME AS OF o.p "
        "ON o.id = d.id AND {} > 0",
    ),
    "temporal": (
        "CAST(v.n AS DECIMAL(4, 1))",
        "in the window that ends at 2024-06-18 00:01:00.001",
        "SELECT t.id, v.n AS x FROM t LEFT JOIN v FOR SYSTEM_TIME AS OF t.ts ON t.id = v.id AND {} > 0",
    ),
    "unnested": (
        "CAST(t.n AS DECIMAL(5, 2))",
        ROW,
        "SELECT t.id, u.x FROM t CROSS JOIN UNNEST(ARRAY[{}]) AS u (x)",
    ),
    "over_time": ("CAST(n AS DECIMAL(4, 1))", ROW, "SELECT id, SUM({}) OVER (ORDER BY ts) AS x FROM t"),
    "over_of_windows": (
        "CAST(s AS DECIMAL(4, 1))",
        f"{WINDOW}, key (1)",
        f"SELECT id, SUM({{}}) OVER (PARTITION BY window_start, window_end) AS x FROM {SUMS}",
    ),
    "over_by_anything": (
        "CAST(n AS DECIMAL(5, 2))",
        ROW,
        "SELECT id, SUM({}) OVER (PARTITION BY k ORDER BY id) AS x FROM t",
    ),
    "ranks": (
        "CAST(n AS DECIMAL(6, 3))",
        ROW,
        "SELECT id, r AS x FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {}) AS r FROM t) WHERE r = 1",
    ),
    "values_of_a_join": (
        "CAST(70000 AS DECIMAL(4, 1))",
        "in row 1 of VALUES",
        "SELECT t.id, c.x FROM t JOIN (VALUES (1, CAST(7 AS DECIMAL(4, 1))), (2, {})) AS c (id, x) ON t.id = c.id",
    ),
    "values_of_rows": (
        "CAST(71000 AS DECIMAL(4, 1))",
        "in row 1 of VALUES",
        "SELECT 0 AS id, x FROM (VALUES (CAST(7 AS DECIMAL(4, 1))), ({})) AS c (x) "
        "UNION ALL SELECT id, CAST(k AS DECIMAL(12, 1)) FROM t",
    ),
    "elements": ("CAST(ARRAY[k, n] AS ARRAY<DECIMAL(4, 1)>)", ROW, "SELECT id, {} AS x FROM t"),
    "entries": ("CAST(MAP['a', n] AS MAP<STRING, DECIMAL(4, 1)>)", ROW, "SELECT id, {} AS x FROM t"),
    "fields": ("CAST(ROW(k, n) AS ROW<`a` INT, `b` DECIMAL(4, 1)>)", ROW, "SELECT id, {} AS x FROM t"),
    "many": (
        " + ".join(f"(n + {i}) * CAST('1E33' AS DECIMAL(34, 0))" for i in range(60)),
        ROW,
        "SELECT id, {} AS x FROM t",
    ),
}
DEFAULT = "the default of LAG(CAST(k AS DECIMAL(4, 1)), 1, 70000.0)"
LAG = "SELECT id, LAG(CAST(k AS DECIMAL(4, 1)), 1, 70000.0) OVER (ORDER BY ts) AS x FROM t"


def report_of(*queries: str) -> Plan:
    sinks = (SINK.format(place="/", name=f"s{n}", query=query) for n, query in enumerate(queries))
    return plan_script("".join([TABLES.format(place="/", mark="0"), *sinks]), {}, "report", Path("/"))


def report(place: Path, *queries: tuple[str, str], mark: str = "1718668860000") -> Plan:
    write_lines(place / "t" / "a.json", [json.dumps(one) for one in ROWS])
    write_lines(place / "d" / "a.json", [json.dumps({"id": one["id"], "n": one["n"]}) for one in ROWS])
    write_lines(place / "v" / "a.json", [json.dumps(one) for one in VERSIONS])
    sinks = (SINK.format(place=place, name=name, query=query) for name, query in queries)
    return plan_script("".join([TABLES.format(place=place, mark=mark), *sinks]), {}, "report", place)


def streamed(spark: SparkSession, plan: Plan, home: Path) -> Stream:
    stream = Stream(spark, plan, home)
    for source in plan.sources:
        stream.driver.absorb(source.name, arrived(spark, source.table), ends=True)
    for source in plan.sources:
        stream.driver.note(source.name, ended=True)
    return stream


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, dict[str, str], Path]:
    """A report with all cases, and the place of each expression."""
    place = tmp_path_factory.mktemp("everywhere")
    plan = report(place, *((name, query.replace("{}", text)) for name, (text, _, query) in CASES.items()))
    return plan, {text: where.format(place=place) for text, where, _ in CASES.values()}, place


def test_a_batch_counts_everywhere(spark, everywhere: tuple[Plan, dict[str, str], Path]) -> None:
    plan, places, _ = everywhere
    session = report_session(spark, plan)
    splits = {source.name: arrived(session, source.table) for source in plan.sources}
    for insert in plan.inserts:
        insert_result(session, plan, insert, splits).collect()
    assert {one.expression: one.place for one in nulled(session)} == places


def test_a_stream_counts_everywhere(spark, everywhere: tuple[Plan, dict[str, str], Path]) -> None:
    plan, places, place = everywhere
    home = streamed(spark, plan, place / "home").home
    found = {expression: list(one.places) for expression, one in nulled_expressions(home).items()}
    many = CASES["many"][0]
    (shown,) = (text for text in found if text.startswith(many[:400]))
    assert found == {text if text != many else shown: [where] for text, where in places.items()}


def test_a_watermark_and_a_default_are_counted(spark, tmp_path: Path, capsys) -> None:
    """A row whose watermark does not fit proposes none. `status` shows both; a batch agrees."""
    mark = "CAST(n AS DECIMAL(4, 1))"
    plan = report(tmp_path, ("told", LAG), mark=mark)
    stream = streamed(spark, plan, tmp_path / "home")
    row = f"in row 0 of {tmp_path}/t/a.json"
    noted = nulled_expressions(stream.home)
    assert {name: dict(one.places) for name, one in noted.items()} == {mark: {row: 1}, DEFAULT: {}}
    assert main(["status", "--home", str(stream.home.path)]) == 0
    shown = f"nulled      {mark} could not be computed, and is NULL: 1 value\n            {row}: 1 value\n"
    assert shown in capsys.readouterr().out
    assert verify(spark, plan, stream.home).is_proven


def test_what_fits_is_not_counted() -> None:
    """A report that has no such expression pays for none."""
    plan = report_of("SELECT id, CAST(5 AS DECIMAL(4, 1)) + CAST(k AS DECIMAL(12, 1)) AS x FROM t")
    assert not plan.counts_nulls
    assert report_of("SELECT id, CAST(5000 AS DECIMAL(4, 1)) AS x FROM t").counts_nulls


def test_operators_are_shared_whatever_is_counted() -> None:
    """The values of both spellings are the same, so they have one state, under the name that it had."""
    counts = "SELECT id, COUNT(*) OVER (PARTITION BY {} ORDER BY ts) AS x FROM t AS o"
    texts = ("CAST(n AS DECIMAL(4, 1))", "CAST(o.n AS DECIMAL(4, 1))")
    plan = report_of(*(counts.format(text) for text in texts))
    assert len(plan.operators) == 1


def test_a_condition_on_partitions_is_counted_by_the_partition(spark, tmp_path: Path) -> None:
    """Its rows are left out before anything else is computed of them."""
    for part in (7, 70000):
        write_lines(tmp_path / "t" / f"k={part}" / "a.json", [json.dumps({"id": part, "n": 1})] * 2)
    text = "CAST(k AS DECIMAL(4, 1))"
    script = f"""CREATE TABLE t (id INT, n BIGINT, k INT) PARTITIONED BY (k) WITH
    ('connector' = 'filesystem', 'path' = '{tmp_path}/t', 'format' = 'json');
    {SINK.format(place=tmp_path, name="told", query=f"SELECT id, n AS x FROM t WHERE {text} > 0")}"""
    plan = plan_script(script, {}, "report", tmp_path)
    session = report_session(spark, plan)
    (insert,) = plan.inserts
    rows = insert_result(session, plan, insert, {"t": arrived(session, plan.source("t").table)}).collect()
    assert {row["id"] for row in rows} == {7}
    assert [(one.expression, one.place) for one in nulled(session)] == [(text, "in the partition k=70000")]
