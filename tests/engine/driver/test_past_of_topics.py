"""A changed report over a topic has the records that the report before it had, also those that Kafka has removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.rebuilds import rebuild, run
from tests.engine.reports import rows_of
from tests.engine.sources.archive.reports import ARCHIVE_WITH_METADATA, METADATA, NEW, QUERY, archived_topic, write
from tests.engine.sources.kafka.reports import COLUMNS, report, script
from tests.servers.kafka import Broker, Topics

pytestmark = pytest.mark.server


def begun(spark: SparkSession, plan: Plan, place: Path) -> Home:
    assert run(spark, plan, place / "home") == "finished"
    return Home.open(place / "home")


def changed(spark: SparkSession, plan: Plan, place: Path) -> Home:
    assert rebuild(spark, plan, place / "home") == "finished"
    home = Home.open(place / "home")
    assert home.generation == 2
    return home


def curve(place: Path) -> list[tuple[str, int, int]]:
    return [(str(end)[11:16], n, most) for end, n, most in rows_of(place / "curve", "json")]


def starts(home: Home) -> dict[str, int]:
    """By partition, the first offset that the log names."""
    ranges = [one for entry in home.log().audit() if isinstance(entry.body, Commit) for one in entry.body.ranges]
    return {one.part[-1]: one.start for one in reversed(ranges)}


def test_it_begins_where_the_report_before_it_began(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    """Also in a partition that has had no record since."""
    topics.create("begun", 3)
    write(topics, "begun", [(0, "10:01:00"), (1, "10:02:00"), (2, "10:03:00")], 1)
    latest = {"scan_startup_mode": "latest-offset"}
    home = begun(spark, report(tmp_path, broker.address, "begun", query=QUERY, **latest), tmp_path)
    write(topics, "begun", [(0, "10:11:00"), (1, "10:12:00"), (0, "12:01:00"), (1, "12:02:00")], 4)
    begun(spark, report(tmp_path, broker.address, "begun", query=QUERY, **latest), tmp_path)
    assert starts(home) == {"0": 1, "1": 1, "2": 1}
    query = QUERY.replace("MAX(price)", "MIN(price)")
    plan = report(tmp_path, broker.address, "begun", query=query, **latest)
    home = changed(spark, plan, tmp_path)
    assert starts(home) == {"0": 1, "1": 1, "2": 1}
    write(topics, "begun", [(2, "12:03:00"), (0, "13:00:00"), (1, "13:00:00"), (2, "13:00:00")], 8)
    begun(spark, plan, tmp_path)
    assert curve(tmp_path) == [("10:20", 2, 4), ("12:10", 3, 6)]
    assert verify(spark, plan, Home.open(tmp_path / "home"), Interval()).is_proven


def test_it_has_the_records_of_the_archive(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    archived_topic(spark, broker, topics, "archived", tmp_path)
    write(topics, "archived", NEW, 9)
    before = rows_of(tmp_path / "archive")
    columns = f"{METADATA}, {COLUMNS}"
    text = script(
        broker.address, "archived", columns, QUERY.replace("MAX(price)", "MIN(price)"), archive="orders_by_hour"
    )
    plan = plan_script(ARCHIVE_WITH_METADATA + text, {}, "orders_curve", tmp_path)
    home = changed(spark, plan, tmp_path)
    assert [(end, least) for end, _, least in curve(tmp_path)] == [
        ("10:10", 1),
        ("10:20", 3),
        ("11:10", 4),
        ("12:10", 7),
    ]
    assert len(rows_of(tmp_path / "archive")) == len(before) + len(NEW)
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven and not verdict.problems
    write(topics, "archived", [(0, "13:31:00"), (1, "13:32:00")], 11)
    begun(spark, plan, tmp_path)
    assert verify(spark, plan, Home.open(tmp_path / "home"), Interval()).is_proven
