"""A topic whose first rows are read from another table, up to a time, and from there on from the topic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Tick
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_of_home, plan_script
from tests.engine.fault_points import watch_points
from tests.engine.rebuilds import rebuild
from tests.engine.reports import HOUR, MINUTE, MORNING, rows_of
from tests.engine.sinks.lakehouse.reports import Format, begin_with, table_of
from tests.engine.sources.archive.reports import QUERY, write
from tests.engine.sources.kafka.reports import script
from tests.servers.kafka import Broker, Topics

pytestmark = pytest.mark.server

PAST = """CREATE TABLE lake (shop INT, price INT, ts TIMESTAMP(3), ds STRING) PARTITIONED BY (ds)
WITH ('connector' = 'filesystem', 'path' = 'lake', 'format' = 'parquet');
"""


def lay(spark: SparkSession, place: Path, name: str, rows: list[tuple[int, str]]) -> None:
    """Writes a file of the past: the price and the time of each row."""
    values = ", ".join(f"(1, {price}, TIMESTAMP_NTZ '2024-06-18 {at}')" for price, at in rows)
    frame = spark.sql(f"SELECT * FROM VALUES {values} AS t(shop, price, ts)").coalesce(1)
    frame.write.parquet(str(place / "lake" / "ds=2024-06-18" / name))


def planned(place: Path, broker: Broker, topic: str, query: str = QUERY, **options: str) -> Plan:
    given = {"scan_history": "lake", "scan_history_until": "2024-06-18 10:15", **options}
    return plan_script(PAST + script(broker.address, topic, query=query, **given), {}, "orders_curve", place)


def run(spark: SparkSession, plan: Plan, place: Path) -> Home:
    home = Home.create(place / "home", plan, plan_of_home)
    assert Runner(spark, plan, home, available_now=True, replan=plan_of_home).run() == "finished"
    return Home.open(place / "home")


def curve(place: Path) -> list[tuple[str, int, int]]:
    return [(str(end)[11:16], n, most) for end, n, most in rows_of(place / "curve", "json")]


def test_each_row_counts_once(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("past", 2)
    # The files are in no order of time, and one reaches beyond the end of the past.
    lay(spark, tmp_path, "b", [(3, "10:11:00"), (4, "10:14:59"), (50, "10:15:00"), (60, "10:42:00")])
    lay(spark, tmp_path, "a", [(1, "10:01:00"), (2, "10:09:00")])
    lay(spark, tmp_path, "c", [(90, "10:50:00")])
    write(topics, "past", [(0, "10:14:00"), (1, "10:15:00"), (0, "10:25:00"), (1, "10:45:00")], 10)
    plan = planned(tmp_path, broker, "past")
    home = run(spark, plan, tmp_path)
    write(topics, "past", [(0, "11:01:00"), (1, "11:02:00")], 20)
    run(spark, plan, tmp_path)
    assert curve(tmp_path) == [("10:10", 2, 2), ("10:20", 3, 11), ("10:30", 1, 12), ("10:50", 1, 13)]
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven and not verdict.problems
    assert read_status(home).rejected == 1
    commits = [entry.body for entry in home.log().audit() if isinstance(entry.body, Commit)]
    assert [len(one.files) for one in commits if one.files] == [2]
    backfill(spark, plan, home, Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR), check=False)
    assert curve(tmp_path) == [("10:10", 2, 2), ("10:20", 3, 11), ("10:30", 1, 12), ("10:50", 1, 13)]


def test_a_driver_that_dies_goes_on_in_the_past(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows are published as the past goes on, and none of its rows is late, however small the batches are."""
    topics.create("killed", 1)
    for name, at in (("c", "10:14:30"), ("a", "10:01:00"), ("b", "10:09:00"), ("d", "10:02:00")):
        lay(spark, tmp_path, name, [(1, at), (2, "10:14:59")] if name == "c" else [(1, at)])
    write(topics, "killed", [(0, "10:16:00"), (0, "10:31:00")], 5)
    plan = planned(tmp_path, broker, "killed", source_max__batch__size="1")

    class Died(BaseException):
        """A driver dies here."""

    times: list[int] = []

    def die(name: str) -> None:
        if name == "absorb-written":
            times.append(len(times))
            if len(times) == 3:
                raise Died

    with monkeypatch.context() as patch:
        watch_points(patch, die)
        with pytest.raises(Died):
            run(spark, plan, tmp_path)
    assert curve(tmp_path) == []
    lay(spark, tmp_path, "e", [(9, "10:13:00")])
    home = run(spark, plan, tmp_path)
    assert curve(tmp_path) == [("10:10", 3, 1), ("10:20", 4, 9)]
    commits = [entry.body for entry in home.log().audit() if isinstance(entry.body, Commit)]
    read = [Path(one.files[0].path).parent.name for one in commits if one.files]
    assert read == ["a", "d", "b", "e", "c"]
    first = next(entry.n for entry in home.log().audit() if isinstance(entry.body, Tick) and entry.published)
    assert any(entry.n > first and isinstance(entry.body, Commit) and entry.body.files for entry in home.log().audit())
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 0


def test_a_changed_report_reads_the_past_again(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("rebuilt", 1)
    lay(spark, tmp_path, "a", [(1, "10:01:00"), (2, "10:09:00"), (3, "10:12:00")])
    write(topics, "rebuilt", [(0, "10:16:00"), (0, "10:31:00")], 5)
    run(spark, planned(tmp_path, broker, "rebuilt"), tmp_path)
    assert curve(tmp_path) == [("10:10", 2, 2), ("10:20", 2, 5)]
    plan = planned(tmp_path, broker, "rebuilt", QUERY.replace("MAX(price)", "MIN(price)"))
    assert rebuild(spark, plan, tmp_path / "home") == "finished"
    assert curve(tmp_path) == [("10:10", 2, 1), ("10:20", 2, 3)]
    verdict = verify(spark, plan, Home.open(tmp_path / "home"), Interval())
    assert verdict.is_proven and not verdict.problems


def test_a_bounded_topic_is_read_to_its_end_after_a_change(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("bounded", 1)
    lay(spark, tmp_path, "a", [(1, "10:01:00"), (3, "10:12:00")])
    write(topics, "bounded", [(0, "10:16:00"), (0, "10:31:00")], 5)
    options = {"scan_bounded_mode": "latest-offset"}
    run(spark, planned(tmp_path, broker, "bounded", **options), tmp_path)
    assert curve(tmp_path) == [("10:10", 1, 1), ("10:20", 2, 5), ("10:40", 1, 6)]
    plan = planned(tmp_path, broker, "bounded", QUERY.replace("MAX(price)", "MIN(price)"), **options)
    assert rebuild(spark, plan, tmp_path / "home") == "finished"
    assert curve(tmp_path) == [("10:10", 1, 1), ("10:20", 2, 3), ("10:40", 1, 6)]


CSV = """CREATE TABLE lake (shop INT, price INT, epoch BIGINT, ts TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = 'lake', 'format' = 'csv', 'source.ignore-corrupt' = 'true');
"""
BY_EPOCH = """price INT, epoch BIGINT, shop INT, ts AS TO_TIMESTAMP_LTZ(epoch, 3),
  WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"""


def test_files_of_the_past_are_found_read_and_closed(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    """Lines have the columns of their own table, whose `ts` is not that of the topic. What comes later is not read."""
    topics.create("lines", 1)
    query = QUERY.replace("CAST(MAX(price) AS BIGINT)", "SUM(CAST(shop * 100 + price AS BIGINT))")
    text = script(broker.address, "lines", BY_EPOCH, query, scan_history="lake", scan_history_until="2024-06-18 10:15")
    plan = plan_script(CSV + text, {}, "orders_curve", tmp_path)
    lake, at = tmp_path / "lake", MORNING + 10 * HOUR
    lake.mkdir()
    with pytest.raises(InputError, match="table 'lake' has no file with rows before 2024-06-18 10:15:00: correct its"):
        run(spark, plan, tmp_path)
    (lake / "gone.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"gone\.csv can't be opened: No such file or directory"):
        run(spark, plan, tmp_path)
    (lake / "gone.csv").unlink()
    (lake / "a.csv").write_text(f"7,1,{at + MINUTE},2030-01-01 00:00:00\n7,2,{at + 12 * MINUTE},\n")
    home = run(spark, plan, tmp_path)
    (lake / "b.csv").write_text(f"9,9,{at + 12 * MINUTE},\n")
    topics.write("lines", [json.dumps({"shop": 1, "price": 5, "epoch": at + n * MINUTE}) for n in (16, 32)], 0)
    run(spark, plan, tmp_path)
    assert curve(tmp_path) == [("10:10", 1, 701), ("10:20", 2, 807)]
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven and not verdict.problems and read_status(home).rejected == 0


COLUMNS = """sent TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', part BIGINT METADATA FROM 'partition', price INT,
  ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"""
IN_BERLIN = """SELECT window_end, COUNT(*), SUM(part) + MAX(HOUR(sent))
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end"""


def test_a_lake_at_its_version_with_metadata_and_days_of_a_zone(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path, lake: Format
) -> None:
    """Midnight in Berlin is 22:00 UTC. What the lake gets after the home has begun does not count."""
    topics.create(f"zoned-{lake.name}", 1)
    options = lake.options.format(table="orders_lake")
    columns = "sent TIMESTAMP_LTZ(3), part BIGINT, price INT, ts TIMESTAMP_LTZ(3), more STRING"
    past = f"""SET 'table.local-time-zone' = 'Europe/Berlin';
        CREATE TABLE orders_lake ({columns}) WITH ('connector' = '{lake.name}', {options});
    """
    given = {"columns": COLUMNS, "query": IN_BERLIN, "scan_history": "orders_lake"}
    text = script(broker.address, f"zoned-{lake.name}", scan_history_until="2024-06-18", **given)
    plan = plan_script(past + text, {}, "orders_curve", tmp_path)
    begin_with(spark, plan)
    sink = plan_script(
        f"CREATE TABLE t (price INT) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"
        f"CREATE TABLE orders_lake ({columns}) WITH ('connector' = '{lake.name}', {options});"
        "INSERT INTO orders_lake SELECT CAST(NULL AS TIMESTAMP_LTZ(3)), CAST(price AS BIGINT), price, "
        "CAST(NULL AS TIMESTAMP_LTZ(3)), '' FROM t",
        {},
        "lay",
        tmp_path,
    )
    table = table_of(spark, sink)
    table.create("sent TIMESTAMP, part BIGINT, price INT, ts TIMESTAMP, more STRING", {"made.by": "somebody"})

    def add(*rows: tuple[int, str]) -> None:
        values = ", ".join(f"(TIMESTAMP '2024-06-01 07:00', 3L, {price}, TIMESTAMP '{at}', 'x')" for price, at in rows)
        spark.sql(f"INSERT INTO {table.sql_name} VALUES {values}")

    add((1, "2024-06-16 21:59:00"), (2, "2024-06-16 22:00:00"), (3, "2024-06-17 21:59:59"), (4, "2024-06-17 22:00:00"))
    home = run(spark, plan, tmp_path)
    add((5, "2024-06-17 10:00:00"))
    for price, at in ((6, "2024-06-17 21:59:59"), (7, "2024-06-17 22:00:00"), (8, "2024-06-18 22:05:00")):
        topics.write(f"zoned-{lake.name}", [json.dumps({"price": price, "ts": f"{at}Z"})], 0, 1718700000000)
    run(spark, plan, tmp_path)
    found = [(str(end)[:10], n, total) for end, n, total in rows_of(tmp_path / "curve", "json")]
    # 07:00 UTC is 9 in Berlin; the records were sent at 08:40 UTC.
    assert found == [("2024-06-17", 1, 12), ("2024-06-18", 2, 15), ("2024-06-19", 1, 10)]
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven and not verdict.problems
    assert read_status(home).rejected == 1
