"""Connector datagen: values of each type, rows at a rate, and the same rows again."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.splits import SourceRange, Split
from airflow_nrt.model.plan import Source
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query

EVERY_TYPE = """
CREATE TABLE made (
    flag BOOLEAN, tiny TINYINT, small SMALLINT, whole INT, large BIGINT, amount DECIMAL(10, 2), part DOUBLE,
    word STRING, code CHAR(5), raw BYTES, day DATE, at TIMESTAMP(3), instant TIMESTAMP_LTZ(3), n BIGINT, name STRING
) WITH ('connector' = 'datagen', 'fields.whole.min' = '1', 'fields.whole.max' = '3', 'fields.amount.min' = '0',
    'fields.part.min' = '0', 'fields.part.max' = '1', 'fields.word.length' = '130', 'fields.raw.length' = '8',
    'fields.at.max-past' = '1 h', 'fields.code.null-rate' = '0.5', 'fields.name.kind' = 'sequence',
    'fields.name.start' = '1', 'fields.name.end' = '1000', 'fields.n.kind' = 'sequence', 'fields.n.start' = '-3',
    'fields.n.end' = '1000')
"""


def source(script: str) -> Source:
    return plan_query(script, "SELECT * FROM made", Path("/")).sources[0]


def read(spark, made: Source, *splits: Split) -> list[dict[str, Any]]:
    rows = source_of(made.table).read(spark, made, ReadRequest(splits, ONE))
    return [row.asDict() for row in rows.orderBy("_nrt_block", "_nrt_index").collect()]


def test_values_are_of_their_types(spark) -> None:
    made = source(EVERY_TYPE)
    now = datetime(2024, 6, 18, 10, tzinfo=timezone.utc)
    rows = read(spark, made, SourceRange(str(int(now.timestamp() * 1000)), 0, 400, 1))
    assert [row["n"] for row in rows] == list(range(-3, 397)) and [row["name"] for row in rows[:2]] == ["1", "2"]
    assert {row["flag"] for row in rows} == {True, False}
    assert {row["whole"] for row in rows} == {1, 2, 3}
    assert all(-128 <= row["tiny"] <= 127 for row in rows) and len({row["tiny"] for row in rows}) > 100
    assert min(row["large"] for row in rows) < -(2**60) and max(row["large"] for row in rows) > 2**60
    assert all(0 <= row["part"] < 1 for row in rows) and all(0 <= row["amount"] < 10**8 for row in rows)
    assert {len(row["word"]) for row in rows} == {130} and {len(row["raw"]) for row in rows} == {8}
    assert 100 < sum(row["code"] is None for row in rows) < 300
    assert {len(row["code"]) for row in rows if row["code"] is not None} == {5}
    assert {str(row["day"]) for row in rows} == {"2024-06-18"}
    hours = sorted(str(row["at"])[:13] for row in rows)
    assert (hours[0], hours[-2]) == ("2024-06-18 09", "2024-06-18 09")
    assert {row["_nrt_fault"] for row in rows} == {None}


def test_a_split_is_the_same_whenever_it_is_read(spark) -> None:
    made = source(EVERY_TYPE)
    whole = SourceRange("1718704800000", 0, 60, 1)
    parts = [SourceRange("1718704800000", a, b, 1) for a, b in ((0, 20), (20, 60))]
    columns = [column.name for column in made.table.physical]

    def values(*splits: Split) -> list[list[Any]]:
        return [[row[name] for name in columns] for row in read(spark, made, *splits)]

    assert values(whole) == values(whole) == values(*parts)


def test_rows_come_at_their_rate_and_go_on_where_they_were() -> None:
    table = source("CREATE TABLE made (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000')").table
    began = time.monotonic()
    numbers = source_of(table).enumerator(None, table, [SourceRange("0", 0, 70, 1), SourceRange("0", 70, 100, 1)])
    time.sleep(0.3)
    (one,) = numbers.poll()
    passed = time.monotonic() - began
    assert isinstance(one, SourceRange) and one.start == 100
    assert 290 <= one.end - one.start <= 1000 * passed + 1


def test_a_fraction_of_a_row_is_not_lost_with_each_look() -> None:
    table = source("CREATE TABLE made (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100')").table
    numbers = source_of(table).enumerator(None, table)
    began, rows = time.monotonic(), 0
    for _ in range(40):
        time.sleep(0.007)
        passed = time.monotonic() - began
        rows += sum(one.end - one.start for one in numbers.poll() if isinstance(one, SourceRange))
    assert rows >= 100 * passed - 1


def test_what_ends_is_there_at_once_in_splits_of_a_bounded_size() -> None:
    table = source("CREATE TABLE made (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '2500000')").table
    found = [one for one in arrived(None, table) if isinstance(one, SourceRange)]
    assert [(one.start, one.end) for one in found] == [(0, 10**6), (10**6, 2 * 10**6), (2 * 10**6, 2_500_000)]
    assert source_of(table).enumerator(None, table, found).poll() == []


def test_a_report_over_it_is_verified(spark, tmp_path: Path) -> None:
    script = """
CREATE TABLE made (id INT, shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen', 'number-of-rows' = '500', 'fields.shop.min' = '1', 'fields.shop.max' = '3',
    'fields.ts.max-past' = '1 h');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
CREATE TABLE nowhere (shop INT, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO curve SELECT shop, window_end, COUNT(*)
FROM TABLE(CUMULATE(TABLE made, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' DAY))
GROUP BY shop, window_start, window_end;
INSERT INTO nowhere SELECT shop, COUNT(*) FROM made GROUP BY shop;
"""
    plan = plan_script(script, {}, "made", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home).run() == "finished"
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.inserts[0].rows["equal"] >= 18
    assert verdict.notes == ("nowhere: what connector 'blackhole' wrote can't be read back",)
