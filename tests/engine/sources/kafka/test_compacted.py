"""Topics that Kafka compacts: of the records of a key only the last one stays, and offsets have gaps."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import HOUR, MINUTE, MORNING
from tests.engine.sources.kafka.reports import TopicStream, order, report
from tests.servers.kafka import Broker, Topics

FIRST = Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 10 * MINUTE)
COMPACT = {
    "cleanup_policy": "compact",
    "segment_ms": "100",
    "min_cleanable_dirty_ratio": "0.01",
    "max_compaction_lag_ms": "100",
    "delete_retention_ms": "100",
}


def offsets(spark, broker: Broker, topic: str) -> list[int]:
    options = {"kafka.bootstrap.servers": broker.address, "subscribe": topic}
    return sorted(row.offset for row in spark.read.format("kafka").options(**options).load().collect())


def compacted(spark, broker: Broker, topics: Topics, topic: str, most: int) -> list[int]:
    """Waits until Kafka has compacted the topic to so many records. New records close what is to be compacted."""
    until = time.monotonic() + 90
    while len(found := offsets(spark, broker, topic)) > most:
        assert time.monotonic() < until, found
        time.sleep(0.5)
        topics.write(topic, [order(9, 9, "10:00:30")], key="tick")
    return found


def test_records_that_were_compacted_prove_nothing(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    """They are no difference, and nothing is computed again without them. What is still there goes on."""
    topics.create("compacted", 1, **COMPACT)
    plan = report(tmp_path, broker.address, "compacted")
    for n in range(20):
        topics.write("compacted", [order(n % 3, n, f"10:{n:02}:00")], key=f"k{n % 3}")
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    compacted(spark, broker, topics, "compacted", 8)
    before = stream.curve()
    stream.absorb_new()
    verdict = verify(spark, plan, stream.home)
    (problem,) = verdict.problems
    assert problem.startswith("source orders: Kafka has compacted records that were read (1") and not verdict.is_proven
    with pytest.raises(DataError, match="can't compute windows again: source orders: Kafka has compacted"):
        backfill(spark, plan, stream.home, FIRST, check=True, on_mismatch="repair")
    assert stream.curve()[: len(before)] == before


def test_a_compacted_topic_is_read_over_its_gaps(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("gaps", 1, **COMPACT)
    for n in range(30):
        topics.write("gaps", [order(n % 3, n, f"10:{n:02}:00")], key=f"k{n % 3}")
    there = compacted(spark, broker, topics, "gaps", 8)
    plan = report(tmp_path, broker.address, "gaps")
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert stream.driver.position.sources["orders"].rows >= len(there) - 1
    assert verify(spark, plan, stream.home).is_proven
