"""The archive of a topic: what the stream writes, and what backfill and verification read instead of the topic."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.replaced.appending import append_restatement
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.entries import Commit, Restate
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MORNING
from tests.engine.sources.kafka.reports import TopicStream, order, script
from tests.servers.kafka import Broker, Topics

ARCHIVE = """CREATE TABLE orders_by_hour (shop INT, price INT, ts TIMESTAMP(3), ds STRING, hh STRING)
PARTITIONED BY (ds, hh) WITH ('connector' = 'filesystem', 'path' = 'archive', 'format' = 'parquet');"""


def report(place: Path, address: str, topic: str, **options: str) -> Plan:
    text = script(address, topic, archive="orders_by_hour", **options)
    return plan_script(ARCHIVE + text, {}, "orders_curve", place)


def archived(place: Path) -> list[tuple[str, str, int, int, int]]:
    """Partition, hour, offset, entry and price of all rows of the archive, by partition and offset."""
    found = []
    for file in (place / "archive").rglob("*.parquet"):
        hour = file.parent.name.partition("=")[2]
        rows = pq.ParquetFile(file).read().to_pylist()
        found += [(row["_partition"], hour, row["_offset"], row["_entry"], row["price"]) for row in rows]
    return sorted(found, key=lambda row: (row[0], row[2]))


def test_the_archive_has_what_the_stream_has_read(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("kept", 2)
    plan = report(tmp_path, broker.address, "kept", json_ignore__parse__errors="true")
    topics.write("kept", [order(1, 5, "10:01:00"), "{", order(1, 7, "11:09:00")], partition=0)
    topics.write("kept", [order(2, 1, "10:02:00")], partition=1)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    first = next(entry.n for entry in stream.entries if isinstance(entry.body, Commit) and entry.body.rows)
    topics.write("kept", [order(1, 9, "10:12:00"), order(1, 9, "12:25:00")], partition=0)
    stream.absorb_new()
    second = max(entry.n for entry in stream.entries if isinstance(entry.body, Commit))
    assert archived(tmp_path) == [
        ("kept-0", "10", 0, first, 5),
        ("kept-0", "11", 2, first, 7),
        ("kept-0", "10", 3, second, 9),
        ("kept-0", "12", 4, second, 9),
        ("kept-1", "10", 0, first, 1),
    ]


TIES = """SELECT window_end, CAST(FIRST_VALUE(shop) AS BIGINT), CAST(LAST_VALUE(price) AS BIGINT)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end"""


@pytest.mark.parametrize("names", [("ties",), ("ties-1", "ties-2")])
def test_windows_read_what_is_archived_as_they_read_the_topic(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path, names: tuple[str, ...]
) -> None:
    """Rows of the same time have an order, that of partitions and offsets. The last rows are late."""
    streams = []
    for name in names:
        topics.create(name, 2)
    for archive in ("", "orders_by_hour"):
        place = tmp_path / f"with {archive}"
        place.mkdir()
        text = script(broker.address, ";".join(names), query=TIES, **({"archive": archive} if archive else {}))
        streams.append(TopicStream(spark, plan_script(ARCHIVE + text, {}, "curve", place), place / "home"))
    for at in ("10:01:00", "10:25:00", "10:02:00"):
        for n, (name, partition) in enumerate((name, partition) for name in names for partition in (1, 0)):
            topics.write(name, [order(10 * n + m, n + m, at) for m in range(3)], partition)
        for stream in streams:
            stream.absorb_new()
    read, archived = streams
    assert read.curve() == archived.curve() != []
    verdicts = [verify(spark, stream.plan, stream.home) for stream in streams]
    assert [(one.is_proven, one.late_rows) for one in verdicts] == [(True, 6 * len(names))] * 2


def test_a_report_is_proven_without_its_topic(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("short-archive", 1)
    plan = report(tmp_path, broker.address, "short-archive")
    stream = TopicStream(spark, plan, tmp_path / "home")
    for at in ("10:01:00", "10:31:00", "10:02:00", "12:59:00", "13:30:00"):
        topics.write("short-archive", [order(1, 1, at)])
        stream.absorb_new()
    topics.remove_before("short-archive", 0, 5)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems
    assert verdict.late_rows == 1 and verdict.explained == 1
    before = stream.curve()
    result = backfill(spark, plan, stream.home, Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR), check=False)
    # The late row counts in a backfill.
    assert len(result.published) == 2 and before[0] == ("10:10", 1, 1)
    assert stream.curve()[0] == ("10:10", 2, 2)
    assert verify(spark, plan, stream.home).is_proven


def test_only_the_hours_of_the_interval_are_read(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("hours", 1)
    plan = report(tmp_path, broker.address, "hours")
    stream = TopicStream(spark, plan, tmp_path / "home")
    for batch in (("10:01:00", "11:31:00"), ("11:02:00", "12:59:00"), ("13:30:00", "13:31:00")):
        topics.write("hours", [order(1, 1, at) for at in batch])
        stream.absorb_new()
    for file in (tmp_path / "archive" / "ds=2024-06-18" / "hh=10").iterdir():
        file.unlink()
    hour = Interval(MORNING + 11 * HOUR, MORNING + 12 * HOUR)
    verdict = verify(spark, plan, stream.home, hour)
    # The row of 11:02 was late, in a batch that has rows of another hour, too.
    assert verdict.is_proven and (verdict.equal, verdict.explained) == (1, 1)
    assert [note.partition(", too")[0] for note in verdict.notes] == [
        "orders: 2 batches have rows in files that are not read here"
    ]
    with pytest.raises(DataError, match="of the archive is gone"):
        backfill(spark, plan, stream.home, Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR), check=False)
    (problem,) = verify(spark, plan, stream.home).problems
    assert "hh=10" in problem and "of the archive is gone: put it back" in problem


def test_a_file_with_other_rows_is_found(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("altered", 1)
    plan = report(tmp_path, broker.address, "altered")
    stream = TopicStream(spark, plan, tmp_path / "home")
    topics.write("altered", [order(1, 1, "10:01:00"), order(1, 1, "10:02:00"), order(1, 1, "10:31:00")])
    stream.absorb_new()
    (file,) = (tmp_path / "archive").rglob("*.parquet")
    pq.write_table(pq.ParquetFile(file).read().slice(1), file)
    problems = verify(spark, plan, stream.home).problems
    assert any("has 2 rows of 3 that were written" in problem for problem in problems)


def test_a_backfill_that_takes_the_number_of_a_batch(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics.create("overtaken", 1)
    plan = report(tmp_path, broker.address, "overtaken")
    stream = TopicStream(spark, plan, tmp_path / "home")
    topics.write("overtaken", [order(1, 1, "10:01:00"), order(1, 2, "10:31:00")])
    append = stream.driver.writer.append_as

    def overtaken(number: int, body: Commit) -> object:
        monkeypatch.setattr(stream.driver.writer, "append_as", append)
        append_restatement(stream.home.log(), Restate((), (), "backfill", {}, number - 1))
        return append(number, body)

    stream.driver.absorb("orders", stream.enumerator.poll())
    monkeypatch.setattr(stream.driver.writer, "append_as", overtaken)
    stream.absorb_new()
    commit = max(entry.n for entry in stream.entries if isinstance(entry.body, Commit))
    assert [row[3:] for row in archived(tmp_path)] == [(commit, 1), (commit, 2)]
    assert verify(spark, plan, stream.home).is_proven


def test_columns_of_all_kinds(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    columns = """shop INT, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', price DECIMAL(10, 2), day TIME(0),
      tags ARRAY<STRING>, sizes MAP<STRING, INT>, address ROW<city STRING, zip INT>, ts TIMESTAMP(3),
      twice AS price * 2, absorbed AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"""
    stored = """shop INT, at TIMESTAMP_LTZ(3), price DECIMAL(10, 2), day TIME(0), tags ARRAY<STRING>,
      sizes MAP<STRING, INT>, address ROW<city STRING, zip INT>, ts TIMESTAMP(3)"""
    query = """SELECT window_end, COUNT(DISTINCT at), CAST(SUM(twice) + MAX(sizes['a']) + MAX(address.zip) AS BIGINT)
      FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
      WHERE day = TIME '10:00:00' AND absorbed IS NOT NULL GROUP BY window_start, window_end"""
    topics.create("kinds", 1)
    text = script(broker.address, "kinds", columns, query, archive="orders_by_hour")
    archive = ARCHIVE.replace("shop INT, price INT, ts TIMESTAMP(3)", stored)
    plan = plan_script(archive + text, {}, "orders_curve", tmp_path)
    stream = TopicStream(spark, plan, tmp_path / "home")
    row = {"shop": 1, "price": 1.5, "day": "10:00:00", "tags": ["x"], "sizes": {"a": 3}, "address": {"zip": 9}}
    for at in ("10:01:00", "10:02:00", "10:31:00"):
        topics.write("kinds", [json.dumps({**row, "ts": f"2024-06-18 {at}"})])
        stream.absorb_new()
    assert stream.curve()[0][2] == 18
    topics.remove_before("kinds", 0, 3)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems and verdict.equal == 1
