"""A number that does not fit its DECIMAL is NULL, as in Flink; its row stays, and it is counted with its place."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError
from airflow_nrt.basics.types import INT, decimal
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.sources.formats.avro import avro_schema, parse_avro
from airflow_nrt.engine.sources.malformed import WHY
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.time.accept_or_reject import judge
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.sql.expressions.functions.collections import array_of
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream, write_lines
from tests.engine.sources.test_options import read

COLUMNS = "id INT, d DECIMAL(5, 2){}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
QUERY = (
    "INSERT INTO told SELECT window_end, COUNT(*), COUNT(d), SUM(d) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), "
    "INTERVAL '1' HOUR)) GROUP BY window_start, window_end;"
)
TIME = "2024-06-18 00:01:00"
UNFIT = {"1000.00": "1000.00", "-12345.6": "-12345.6", "123456789.995": "123456789.995", "1e5000": "1e5000"}
FITS = ("999.99", "1.005", "1e2")


def report(
    spark, place: Path, form: str, texts: list[str], not_null: str = "", settings: str = "", *options: str
) -> Stream:
    lines = [line(form, n, text) for n, text in enumerate(texts)]
    given = ", ".join(("'connector' = 'filesystem'", f"'path' = '{place}/t'", f"'format' = '{form}'", *options))
    script = (
        f"{settings}CREATE TABLE t ({COLUMNS.format(not_null)}) WITH ({given});"
        "CREATE TABLE told (e TIMESTAMP(3), n BIGINT, known BIGINT, d DECIMAL(38, 2)) WITH ('connector' = "
        f"'filesystem', 'path' = '{place}/told', 'format' = 'json');{QUERY}"
    )
    plan = plan_script(script, {}, "report", place)
    stream = Stream(spark, plan, place / "home")
    stream.absorb(write_lines(place / "t" / f"a.{form}", lines), source="t")
    stream.end()
    return stream


def line(form: str, n: int, text: str) -> str:
    if form == "csv":
        return f"{n},{text},{TIME}"
    row = f'{{"id": {n}, "d": {text}, "ts": "{TIME}"}}'
    return row if form == "json" else f'{{"before": null, "after": {row}, "op": "c"}}'


def told(place: Path) -> list[dict[str, object]]:
    files = sorted((place / "told").rglob("*.json*"))
    return [json.loads(text) for file in files for text in file.read_text().splitlines()]


def rejections(stream: Stream) -> list[dict[str, str]]:
    return [record for path in stream.home.ledger.below() for record in records(path / REJECTED)]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_null_and_counted(spark, tmp_path: Path, form: str) -> None:
    stream = report(spark, tmp_path, form, [*UNFIT, *FITS])
    (window,) = told(tmp_path)
    assert (window["n"], window["known"], window["d"]) == (7, 3, 1101.0)
    found = rejections(stream)
    assert {(one["reason"], one["column"], one["file"]) for one in found} == {
        ("malformed field", "d", str(tmp_path / "t" / f"a.{form}"))
    }
    assert sorted(one["why"] for one in found) == sorted(
        f"column d: '{text}' does not fit DECIMAL(5, 2)" for text in UNFIT.values()
    )
    source = stream.driver.position.sources["t"]
    assert (source.rejected, source.null_fields) == (0, len(UNFIT))
    assert verify(spark, stream.plan, stream.home).is_proven


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_plan_of_rows_has_no_lambda(spark, tmp_path: Path, form: str) -> None:
    """Spark compiles no step with a lambda together with its neighbours: each row would be copied between them."""
    script = (
        f"CREATE TABLE t ({COLUMNS.format('')}) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = '{form}');"
        "CREATE TABLE p (d DECIMAL(5, 2)) WITH ('connector' = 'print'); INSERT INTO p SELECT d FROM t;"
    )
    write_lines(tmp_path / "t" / f"a.{form}", [line(form, 1, "1000.00")])
    (source,) = plan_script(script, {}, "report", tmp_path).sources
    request = ReadRequest(arrived(spark, source.table), ONE)
    judged = judge(source_of(source.table).read(spark, source, request), source, None, "0L")
    assert "lambda" not in judged._jdf.queryExecution().optimizedPlan().toString()


def failure(spark, place: Path, texts: list[str], not_null: str = "", *options: str) -> str:
    with pytest.raises(Exception) as raised:
        report(spark, place, "json", texts, not_null, "", *options)
    meant = explained(raised.value)
    assert isinstance(meant, DataError)
    return str(meant)


def test_what_stays_an_error(spark, tmp_path: Path) -> None:
    """By an option; in a column that is NOT NULL; and a text that is no number at all, whatever stands beside it."""
    said = failure(spark, tmp_path / "option", ["123456789.995"], "", "'scan.unfit-decimals' = 'fail'")
    assert "a malformed line in table t: column d: '123456789.995' does not fit DECIMAL(5, 2). Correct it" in said
    assert "'scan.unfit-decimals' = 'null'" in said and "a.json" in said and "TRY_CAST" not in said
    said = failure(spark, tmp_path / "null", ["1000"], " NOT NULL")
    assert "column d: '1000' does not fit DECIMAL(5, 2)" in said
    assert "SET 'table.exec.sink.not-null-enforcer' = 'drop'" in said
    assert "column d: 'one' is no DECIMAL(5, 2)" in failure(spark, tmp_path / "text", ["1", '"one"'])


def test_a_row_is_left_out_where_the_column_is_not_null(spark, tmp_path: Path) -> None:
    """It is no row that `source.rejected.limit` allows: the enforcer has no limit."""
    drop, limit = "SET 'table.exec.sink.not-null-enforcer' = 'drop';", "'source.rejected.limit' = '1'"
    stream = report(
        spark, tmp_path, "json", ["1000", "1"], " NOT NULL", drop, "'source.monitor-interval' = '1 s'", limit
    )
    assert stream.driver.position.sources["t"].of_day.unreadable == 0
    assert [window["n"] for window in told(tmp_path)] == [1]
    assert [(one["reason"], one["column"]) for one in rejections(stream)] == [("malformed line", "d")]
    assert verify(spark, stream.plan, stream.home).is_proven


def test_inside_of_values(spark, tmp_path: Path) -> None:
    """As Flink reads them; what else is wrong in a value stops."""
    columns = "a ARRAY<DECIMAL(5, 2)>, r ROW<x DECIMAL(5, 2), y INT>, m MAP<STRING, DECIMAL(5, 2)>"
    row = '{"a": [1.005, 12345.6, null], "r": {"x": 12345.6, "y": 1}, "m": {"k": 12345.6, "l": 1}}'
    assert read(spark, tmp_path / "fits", columns, "json", [row]) == [
        {"a": ["1.01", None, None], "r": {"x": None, "y": 1}, "m": {"k": None, "l": "1.00"}}
    ]
    with pytest.raises(Exception) as raised:
        read(spark, tmp_path / "wrong", columns, "json", [row.replace('"y": 1', '"y": "one"')])
    assert "column r" in str(explained(raised.value))


def test_of_a_changelog(spark, tmp_path: Path) -> None:
    lines = [line("debezium-json", 1, "12345.6"), line("debezium-json", 2, "1.5")]
    found = read(spark, tmp_path, "id INT, d DECIMAL(5, 2)", "debezium-json", lines)
    assert sorted((row["id"], row["d"]) for row in found) == [(1, None), (2, "1.50")]


def test_of_avro(spark) -> None:
    """Its bytes hold any number of digits."""
    columns = (Column("id", INT), Column("d", decimal(5, 2)), Column("a", array_of(decimal(5, 2))))
    table = Table("t", columns, "kafka", options={"connector": "kafka", "format": "avro"})
    wide = tuple(replace(one, type=kind) for one, kind in zip(columns, (INT, decimal(20, 2), array_of(decimal(20, 2)))))
    made = spark.sql(
        "SELECT 1 AS id, CAST(12345.6 AS DECIMAL(20, 2)) AS d, array(CAST(1.5 AS DECIMAL(20, 2))) AS a "
        "UNION ALL SELECT 2, 999.99, array(12345.6, 2)"
    )
    schema = avro_schema(replace(table, columns=wide))
    content = made.selectExpr(f"to_avro(struct(id, d, a), {schema}) AS content")
    found = parse_avro(content, "content", table, columns).orderBy("id").collect()
    assert [(row.id, row.d, row.a) for row in found] == [
        (1, None, [Decimal("1.50")]),
        (2, Decimal("999.99"), [None, Decimal("2.00")]),
    ]
    assert [row[WHY] for row in found] == [
        "column d: it does not fit DECIMAL(5, 2)",
        "column a: it has a number that does not fit ARRAY<DECIMAL(5, 2)>",
    ]
