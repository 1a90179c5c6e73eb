"""Records that Kafka refuses for their length are left out before the log decides on them."""

from __future__ import annotations

import json
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.left_out import left_out_rows
from airflow_nrt.home.notes.limits import noted_limits
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import arrive
from tests.engine.sinks.kafka.test_kafka import consumed, report
from tests.servers.kafka import Broker, Topics

LONG = """SELECT shop, window_end, REPEAT('x', MAX(price)) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts),
INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end"""
COLUMNS = "shop INT, window_end TIMESTAMP(3), long STRING"


def written(spark, broker: Broker, topic: str, place: Path, lengths: list[int], options: str = "") -> list[int]:
    """The shops whose records are in the topic; shop n has a text of the n-th length."""
    plan = report(place, broker, topic, COLUMNS, LONG, f"'format' = 'json'{options}")
    stream = Stream(spark, plan, place / "home")
    orders = [(shop, length, "10:01:00") for shop, length in enumerate(lengths)]
    stream.absorb(arrive(place, "0", *orders, (99, 1, "10:31:00")), source="orders")
    return sorted(json.loads(one["value"])["shop"] for one in consumed(spark, broker, topic))


def test_the_producer_sends_no_more_than_a_megabyte(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("long_records", 1)
    # The last one is short enough only without what stands beside its text.
    lengths = [10, 2_000_000, 1_047_000, 1_048_570]
    assert written(spark, broker, "long_records", tmp_path, lengths) == [0, 2]
    home = Home.open(tmp_path / "home")
    ((reason, one),) = left_out_rows(home)["curve"].items()
    assert reason == "a record of topic long_records holds 1047552 bytes of key and value" and one.count == 2
    assert [said for _, said in noted_limits(home, "curve")] == [reason]


def test_a_topic_may_take_less_and_a_producer_more(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("short_records", 1, **{"max.message.bytes": "50000"})
    assert written(spark, broker, "short_records", tmp_path / "short_records", [10, 60_000, 48_000]) == [0, 2]
    topics.create("large_records", 1, **{"max.message.bytes": "3000000"})
    options = ", 'properties.max.request.size' = '3000000'"
    assert written(spark, broker, "large_records", tmp_path / "large_records", [10, 2_000_000, 4_000_000], options) == [
        0,
        1,
    ]
