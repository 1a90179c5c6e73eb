"""What was read is committed to the table's group, for those who watch it there, and for a home that begins there."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import pytest

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.kafka import consumer_group
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.splits import SourceRange
from airflow_nrt.model.plan import Plan
from tests.engine.sources.kafka.reports import order, report
from tests.servers.kafka import Broker, Topics

TEN = [order(1, 1, f"10:0{n}:00") for n in range(10)]


def run(spark, plan: Plan, place: Path) -> list[int]:
    """Reads all that is there; gives the rows of each batch."""
    home = Home.create(place, plan)
    assert Runner(spark, plan, home).run() == "finished"
    return [one.body.rows for one in home.log().audit() if isinstance(one.body, Commit)]


def committed(spark, plan: Plan, name: str) -> dict[str, int]:
    client = Client(spark, plan.sources[0].table)
    try:
        return client.committed(name)
    finally:
        client.close()


def test_a_new_home_goes_on_where_the_group_is(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("grouped", 2)
    topics.write("grouped", TEN[:6], 0)
    topics.write("grouped", TEN[:3], 1)
    ends = {"scan_bounded_mode": "latest-offset", "properties_group_id": "lagging"}
    plan = report(tmp_path / "one", broker.address, "grouped", **ends)
    assert sum(run(spark, plan, tmp_path / "first")) == 9
    assert committed(spark, plan, "lagging") == {"grouped-0": 6, "grouped-1": 3}
    topics.write("grouped", TEN[6:], 0)
    again = report(tmp_path / "two", broker.address, "grouped", scan_startup_mode="group-offsets", **ends)
    assert sum(run(spark, again, tmp_path / "second")) == 4
    assert committed(spark, plan, "lagging") == {"grouped-0": 10, "grouped-1": 3}


def test_nothing_is_committed_where_that_is_not_wanted(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("ungrouped", 1)
    topics.write("ungrouped", TEN)
    ends = {"scan_bounded_mode": "latest-offset", "properties_group_id": "quiet"}
    plan = report(tmp_path, broker.address, "ungrouped", properties_commit_offsets_on_checkpoint="false", **ends)
    assert sum(run(spark, plan, tmp_path / "home")) == 10
    assert committed(spark, plan, "quiet") == {}


def test_a_group_with_consumers_of_its_own_is_left_to_them(
    spark, broker: Broker, topics: Topics, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    topics.create("taken", 1)
    topics.write("taken", TEN)
    plan = report(tmp_path, broker.address, "taken", scan_bounded_mode="latest-offset", properties_group_id="others")
    with topics.member("others", "taken"), caplog.at_level(logging.WARNING):
        assert sum(run(spark, plan, tmp_path / "home")) == 10
    said = [one.getMessage() for one in caplog.records if one.name.endswith("kafka.consumer_group")]
    assert len(said) == 1 and "orders: what is read is not committed to group 'others'" in said[0]


def test_what_was_read_last_is_committed_although_nothing_follows(
    spark, broker: Broker, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer_group, "_EVERY_SECONDS", 0.1)
    topics.create("silent", 1)
    plan = report(tmp_path, broker.address, "silent", properties_group_id="waiting")
    enumerator = source_of(plan.sources[0].table).enumerator(spark, plan.sources[0].table)
    enumerator.poll()
    for values in (TEN[:6], TEN[6:]):
        topics.write("silent", values)
        enumerator.absorbed(enumerator.poll())
    until = time.monotonic() + 30
    while committed(spark, plan, "waiting") != {"silent-0": 10}:
        assert time.monotonic() < until
        assert enumerator.poll() == []
    enumerator.close()


def test_a_group_that_is_the_end_of_the_topic_stays_there(
    spark, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("ended", 1)
    topics.write("ended", TEN)
    topics.commit("ending", {("ended", 0): 7})
    plan = report(tmp_path, broker.address, "ended", scan_bounded_mode="group-offsets", properties_group_id="ending")
    enumerator = source_of(plan.sources[0].table).enumerator(spark, plan.sources[0].table)
    enumerator.poll()
    enumerator.absorbed([SourceRange("ended-0", 0, 3, 600)])
    enumerator.close()
    # A driver that was killed here asks the group again where the topic ends.
    assert committed(spark, plan, "ending") == {"ended-0": 7}
