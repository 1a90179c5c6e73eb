"""Topics that match a regular expression, also those that appear later."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.sources.kafka.reports import TopicStream, order, script
from tests.servers.kafka import Broker, Topics


def report(place: Path, broker: Broker, pattern: str, **options: str) -> Plan:
    text = script(broker.address, "-", **options).replace("'topic' = '-'", f"'topic-pattern' = '{pattern}'")
    return plan_script(text, {}, "orders_curve", place)


def test_a_topic_that_appears_later_is_read_from_its_first_record(
    spark, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    for topic in ("shop-1", "shop-2", "workshop-1"):
        topics.create(topic)
    topics.write("shop-1", [order(1, 5, "10:01:00"), order(1, 1, "10:30:00")])
    topics.write("shop-2", [order(2, 7, "10:02:00"), order(2, 1, "10:31:00")])
    topics.write("workshop-1", [order(9, 9, "10:03:00")])
    interval = {"scan_topic__partition__discovery_interval": "1 ms"}
    # Python has no such class of characters.
    plan = report(tmp_path, broker, r"shop-\p{Digit}++", **interval)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert stream.curve() == [("10:10", 2, 12)]
    topics.create("shop-10")
    topics.write("shop-10", [order(3, 2, "10:29:59"), order(3, 2, "10:41:00")])
    topics.write("shop-1", [order(1, 2, "10:42:00")])
    topics.write("shop-2", [order(1, 2, "10:43:00")])
    stream.absorb_new()
    assert sorted(stream.driver.position.sources["orders"].parts) == ["shop-1-0", "shop-10-0", "shop-2-0"]
    assert stream.curve()[-1] == ("10:40", 2, 2)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems and verdict.unread_files == 0


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("ordr", "no topic that matches 'ordr': create one, or correct 'topic-pattern'; did you mean 'ordrs'?"),
        ("order[", "'topic-pattern' = 'order[' is no regular expression of Java: Unclosed character class"),
    ],
)
def test_what_is_wrong_is_said_at_the_start(
    spark, broker: Broker, topics: Topics, tmp_path: Path, pattern: str, expected: str
) -> None:
    if pattern == "ordr":
        topics.create("ordrs")
    (source,) = report(tmp_path, broker, pattern).sources
    with pytest.raises(InputError) as wrong:
        source_of(source.table).check(spark, source.table)
    assert expected in str(wrong.value)


def test_a_sink_and_specific_offsets_need_one_topic(broker: Broker, tmp_path: Path) -> None:
    offsets = {"scan_startup_mode": "specific-offsets", "scan_startup_specific__offsets": "partition:0,offset:1"}
    with pytest.raises(InputError, match="specific offsets are of one topic"):
        report(tmp_path, broker, "o.*", **offsets)
    text = """CREATE TABLE a (n INT) WITH ('connector' = 'datagen');
        CREATE TABLE b (n INT) WITH ('connector' = 'kafka', 'topic-pattern' = 'o.*', 'format' = 'json',
          'properties.bootstrap.servers' = 'b:9092');
        INSERT INTO b SELECT n FROM a;"""
    with pytest.raises(InputError, match="a sink writes into one topic: name it by 'topic'"):
        plan_script(text, {}, "sink", tmp_path)
