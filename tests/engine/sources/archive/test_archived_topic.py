"""A new home begins with the archive of another one, and goes on in the topic: each record once, none lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.archive.keeper import ArchiveKeeper
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sources.archive import enumerator
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import COMPACTED, Commit
from airflow_nrt.model.plan import Plan
from tests.engine.archive.test_own_archive import ARCHIVE
from tests.engine.reports import HOUR, MORNING, rows_of
from tests.engine.sources.archive.reports import CURVE, NEW, ON_TIME, archived_topic, beginning, write
from tests.engine.sources.kafka.reports import COLUMNS, TopicStream
from tests.servers.kafka import Broker, Topics


@pytest.fixture(scope="module")
def old(spark: SparkSession, broker: Broker, topics: Topics, tmp_path_factory: pytest.TempPathFactory) -> TopicStream:
    """A home with an archive of the topic `forgotten`, which has two records more."""
    stream = archived_topic(spark, broker, topics, "forgotten", tmp_path_factory.mktemp("old"))
    write(topics, "forgotten", NEW, 9)
    return stream


def run(spark: SparkSession, plan: Plan, place: Path) -> Home:
    home = Home.create(place / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    return home


def curve(plan: Plan) -> list[tuple[str, int, int]]:
    return [(str(end)[11:16], n, most) for end, n, most in rows_of(Path(plan.inserts[0].sink.path), "json")]


def read_from(home: Home) -> list[tuple[str, int, int, bool]]:
    """Partition, first offset, offset after the last, and whether it came from the archive, in the order of reading."""
    commits = [entry.body for entry in home.log().audit() if isinstance(entry.body, Commit)]
    ranges = [one for body in commits for one in body.ranges]
    # One that only notes the id of the topic reads nothing.
    read = [one for one in ranges if one.topic_id is None or not one.is_empty]
    return [(one.part[-1], one.start, one.end, one.archive is not None) for one in read]


def test_a_changed_report_has_the_days_that_the_topic_has_forgotten(
    spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path
) -> None:
    plan = beginning(tmp_path, broker, "forgotten", old.home.path)
    home = run(spark, plan, tmp_path)
    assert read_from(home) == [
        ("0", 0, 0, True),
        ("1", 0, 0, True),
        ("0", 0, 5, True),
        ("0", 5, 6, False),
        ("1", 0, 3, True),
        ("1", 3, 4, False),
    ]
    assert curve(plan) == CURVE
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and not verdict.problems and verdict.equal == len(CURVE)


def test_a_driver_that_dies_goes_on_where_it_was(
    spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enumerator, "ROUND", 1)
    plan = beginning(tmp_path, broker, "forgotten", old.home.path)
    stream = TopicStream(spark, plan, tmp_path / "home")
    while found := stream.enumerator.poll():
        # Each driver dies after its first commit: of where reading begins, or of two ranges.
        stream.driver.absorb("orders", stream.enumerator.in_order(found if found[0].is_empty else found[:2]))
        stream.enumerator.close()
        stream = TopicStream(spark, plan, tmp_path / "home")
    read = read_from(stream.home)
    assert [(start, end, archived) for part, start, end, archived in read if part == "0"] == [
        (0, 0, True),
        (0, 1, True),
        (1, 2, True),
        (2, 5, True),
        (5, 6, False),
    ]
    assert curve(plan) == ON_TIME
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 1


def test_files_that_are_merged_meanwhile(
    spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enumerator, "ROUND", 1)
    monkeypatch.setattr("airflow_nrt.engine.archive.archive_partitions.MANY", 2)
    plan = beginning(tmp_path, broker, "forgotten", old.home.path)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.driver.absorb("orders", stream.enumerator.poll())
    waiting = stream.enumerator.poll()
    stream.driver.absorb("orders", waiting[:2])
    keeper = ArchiveKeeper(spark, old.home, old.driver.plan.sources[0], old.driver.writer)
    keeper.finish(old.driver.position, old.driver.replace_files)
    assert any(one.state == COMPACTED for entry in old.entries for one in entry.published)
    stream.driver.absorb("orders", stream.enumerator.in_order(waiting[2:]))
    assert curve(plan) == CURVE
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems


def test_metadata_of_records(spark: SparkSession, broker: Broker, old: TopicStream, tmp_path: Path) -> None:
    # Other names than in the archive.
    columns = f"""part INT METADATA FROM 'partition', place BIGINT METADATA FROM 'offset',
      name STRING METADATA FROM 'topic', at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
      made STRING METADATA FROM 'timestamp-type',
      headers MAP<STRING, BYTES> METADATA, {COLUMNS}"""
    query = """SELECT window_end, COUNT(DISTINCT name || made || DECODE(headers['price'], 'UTF-8')),
      MAX(part * 100000 + place * 1000 + EXTRACT(SECOND FROM at))
      FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end"""
    plan = beginning(tmp_path, broker, "forgotten", old.home.path, columns=columns, query=query)
    home = run(spark, plan, tmp_path)
    assert curve(plan) == [("10:10", 3, 100002), ("10:20", 1, 1003), ("11:10", 2, 101004), ("12:10", 2, 102008)]
    assert verify(spark, plan, home).is_proven


def test_its_own_archive_has_all_that_it_has_read(
    spark: SparkSession, broker: Broker, topics: Topics, old: TopicStream, tmp_path: Path
) -> None:
    elsewhere = shutil.copytree(old.home.path, tmp_path / "old-home")
    plan = beginning(tmp_path, broker, "forgotten", elsewhere, ARCHIVE, archive="orders_by_hour")
    home = run(spark, plan, tmp_path)
    # Nothing of the old home is needed any more.
    shutil.rmtree(elsewhere)
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and not verdict.problems and verdict.equal == len(CURVE)
    before = curve(plan)
    hour = Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR)
    assert len(backfill(spark, plan, home, hour, check=False).published) == 2
    assert curve(plan) == before == CURVE
    write(topics, "forgotten", [(0, "13:01:00"), (1, "13:02:00")], 11)
    assert run(spark, plan, tmp_path).log().position().sources["orders"].rows == 12
