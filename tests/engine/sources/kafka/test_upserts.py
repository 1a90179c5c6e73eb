"""upsert-kafka as a source: a record with a value replaces the row of its key, one without retracts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import TopicStream
from tests.servers.kafka import Broker, Topics

FORMATS = {"key.format": "json", "value.format": "json"}
COLUMNS = "id BIGINT, shop STRING, n INT, PRIMARY KEY (id) NOT ENFORCED"
SHOPS = "SELECT shop, COUNT(*), SUM(n) FROM orders GROUP BY shop"


def report(place: Path, address: str, topic: str, columns: str = COLUMNS, **more: str) -> Plan:
    options = "".join(f", '{name}' = '{text}'" for name, text in {**FORMATS, **more}.items())
    script = f"""
        SET 'table.exec.state.unbounded' = 'allow';
        CREATE TABLE orders ({columns}) WITH ('connector' = 'upsert-kafka', 'topic' = '{topic}',
          'properties.bootstrap.servers' = '{address}'{options});
        CREATE TABLE shops (shop STRING, orders BIGINT, total INT, PRIMARY KEY (shop) NOT ENFORCED)
        WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'json');
        INSERT INTO shops {SHOPS};
    """
    return plan_script(script, {}, "shops", place)


def put(topics: Topics, topic: str, id: int, shop: str | None = None, n: int = 0, partition: int = 0) -> None:
    value = None if shop is None else json.dumps({"id": id, "shop": shop, "n": n})
    topics.write(topic, [value], key=json.dumps({"id": id}), partition=partition)


def table_of(stream: TopicStream) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in rows_of(Path(stream.plan.inserts[0].sink.path), "json"))


def test_rows_are_replaced_and_retracted(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("upserted", 2)
    plan = report(tmp_path, broker.address, "upserted")
    put(topics, "upserted", 1, "a", 5)
    put(topics, "upserted", 1, "a", 7)
    put(topics, "upserted", 2, "b", 1, partition=1)
    put(topics, "upserted", 9, partition=1)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert table_of(stream) == [("a", 1, 7), ("b", 1, 1)]
    # Another batch, and a driver that was started again: 1 moves to shop b, 2 goes, 3 comes and goes in one batch.
    put(topics, "upserted", 1, "b", 8)
    put(topics, "upserted", 2, partition=1)
    put(topics, "upserted", 3, "c", 1)
    put(topics, "upserted", 3)
    second = TopicStream(spark, plan, tmp_path / "home")
    second.absorb_new()
    assert table_of(second) == [("b", 1, 8)]
    verdict = verify(spark, plan, second.home)
    assert verdict.is_proven and not verdict.problems and verdict.unread_files == 0


def test_what_our_own_sink_writes_is_read_again(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    """In avro, where the key has columns that the value lacks, with rows that were retracted."""
    topics.create("chained")
    topics.create("chained-orders")
    first = report(tmp_path, broker.address, "chained-orders")
    put(topics, "chained-orders", 1, "a", 5)
    put(topics, "chained-orders", 2, "b", 6)
    options = {"key.format": "avro", "value.format": "avro", "value.fields-include": "EXCEPT_KEY"}
    topic = {"connector": "upsert-kafka", "topic": "chained", "properties.bootstrap.servers": broker.address}
    script = first.script.replace(
        "'connector' = 'filesystem', 'path' = 'shops', 'format' = 'json'",
        ", ".join(f"'{name}' = '{text}'" for name, text in {**topic, **options}.items()),
    )
    sending = TopicStream(spark, plan_script(script, {}, "sending", tmp_path), tmp_path / "sending")
    sending.absorb_new()
    put(topics, "chained-orders", 1)
    put(topics, "chained-orders", 2, "b", 9)
    sending.absorb_new()
    columns = "shop STRING, orders BIGINT, n INT, PRIMARY KEY (shop) NOT ENFORCED"
    receiving = report(tmp_path, broker.address, "chained", columns, **options)
    stream = TopicStream(spark, receiving, tmp_path / "receiving")
    stream.absorb_new()
    assert table_of(stream) == [("b", 1, 9)]
    assert verify(spark, receiving, stream.home).is_proven


def test_a_record_without_its_key_is_malformed(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("keyless")
    topics.write("keyless", ['{"id": 1, "shop": "a", "n": 5}'])
    strict = report(tmp_path, broker.address, "keyless")
    with pytest.raises(Exception) as stopped:
        TopicStream(spark, strict, tmp_path / "strict").absorb_new()
    assert "the record has no key, which says which row it changes" in str(explained(stopped.value))
    topics.write("keyless", [None, '{"id": 1, "shop": "a", "n": 5}'], key='{"id": "x"}')
    topics.write("keyless", ["{"], key='{"id": 2}')
    put(topics, "keyless", 3, "a", 7)
    lenient = report(tmp_path / "lenient", broker.address, "keyless", **{"value.json.ignore-parse-errors": "true"})
    stream = TopicStream(spark, lenient, tmp_path / "home")
    stream.absorb_new()
    assert table_of(stream) == [("a", 1, 7)]
    commit = [entry.body for entry in stream.entries if isinstance(entry.body, Commit)][-1]
    found = sorted((one["file"], one["reason"]) for one in records(stream.home.root / commit.ledger / REJECTED))
    assert found == [(f"keyless-0@{n}", "malformed line") for n in range(4)]


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("id BIGINT, shop STRING, n INT", {}, "needs a PRIMARY KEY … NOT ENFORCED"),
        (COLUMNS, {"key.fields": "id"}, "'key.fields' is not of connector 'upsert-kafka': leave it out"),
        (COLUMNS, {"scan.startup.mode": "latest-offset"}, "every row of a key is needed"),
        (COLUMNS, {"value.format": "debezium-json"}, "'value.format' can't be a changelog"),
    ],
)
def test_what_is_refused(tmp_path: Path, columns: str, options: dict[str, str], expected: str) -> None:
    with pytest.raises(InputError) as wrong:
        report(tmp_path, "broker:9092", "t", columns, **options)
    assert expected in str(wrong.value)
