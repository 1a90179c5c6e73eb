"""Results as records that name their schema by its number in a registry."""

from __future__ import annotations

import io
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import fastavro
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sources.avro_confluent.registry import registered
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import arrive
from tests.engine.sinks.kafka.test_kafka import COUNTS, report
from tests.servers.kafka import Broker, Topics
from tests.servers.registry import Registry

COLUMNS = "shop INT, window_end TIMESTAMP(3), n BIGINT"
ENDS = datetime(2024, 6, 18, 10, 10, tzinfo=timezone.utc)


def counts(place: Path, broker: Broker, registry: Registry, topic: str, more: str = "") -> Plan:
    options = f"""'key.format' = 'avro-confluent', 'key.fields' = 'shop', 'value.format' = 'avro-confluent',
        'key.avro-confluent.url' = '{registry.url}', 'value.avro-confluent.url' = '{registry.url}'{more}"""
    return report(place, broker, topic, COLUMNS, COUNTS, options)


def read(spark, broker: Broker, registry: Registry, topic: str) -> list[tuple[Any, Any]]:
    """Keys and values, by the schemas that the registry has for their numbers."""
    options = {"kafka.bootstrap.servers": broker.address, "subscribe": topic}
    rows = spark.read.format("kafka").options(**options).load().orderBy("partition", "offset").collect()
    return [(decoded(registry, row.key), decoded(registry, row.value)) for row in rows]


def decoded(registry: Registry, content: bytes) -> Any:
    assert content[:1] == b"\x00"
    schema = fastavro.parse_schema(json.loads(registry.schemas[int.from_bytes(content[1:5], "big")]))
    return fastavro.schemaless_reader(io.BytesIO(content[5:]), schema, None)


def test_results_of_windows(spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path) -> None:
    topics.create("confluent-sink", 1)
    plan = counts(tmp_path, broker, registry, "confluent-sink")
    stream = Stream(spark, plan, tmp_path / "home")
    # Before the first entry.
    assert registry.subjects == {"confluent-sink-value": [1], "confluent-sink-key": [2]}
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:31:00")), source="orders")
    expected = [({"shop": 1}, {"shop": 1, "window_end": ENDS, "n": 1})]
    assert read(spark, broker, registry, "confluent-sink") == expected
    assert len(registry.asked) == 2


def test_a_schema_of_ones_own(spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path) -> None:
    topics.create("confluent-own", 1)
    own = {
        "type": "record",
        "name": "shop.Count",
        "fields": [
            {"name": "shop", "type": ["int", "null"]},
            {"name": "window_end", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
            {"name": "n", "type": ["null", "long"]},
        ],
    }
    more = f""", 'value.avro-confluent.schema' = '{json.dumps(own)}', 'value.avro-confluent.subject' = 'counts'"""
    plan = counts(tmp_path, broker, registry, "confluent-own", more)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:31:00")), source="orders")
    assert json.loads(registry.schemas[registry.subjects["counts"][0]]) == own
    ((_, value),) = read(spark, broker, registry, "confluent-own")
    assert value == {"shop": 1, "window_end": ENDS, "n": 1}


def test_a_registry_that_refuses(spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path) -> None:
    topics.create("confluent-refused", 1)
    plan = counts(tmp_path, broker, registry, "confluent-refused")
    registry.refusal = (409, {"error_code": 409, "message": "incompatible with an earlier schema"})
    home = Home.create(tmp_path / "home", plan)
    with pytest.raises(InputError, match="for subject 'confluent-refused-value': incompatible with an earlier schema"):
        sink_of(plan.written[0]).check(spark, home, plan.written[0])
    assert home.log().last == -1


def test_results_wait_for_a_registry_that_is_away(
    spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path
) -> None:
    topics.create("confluent-later", 1)
    plan = counts(tmp_path, broker, registry, "confluent-later")
    stream = Stream(spark, plan, tmp_path / "home")
    # As in a driver that has begun while the registry was away.
    registered.cache_clear()
    with registry.away(), pytest.raises(UnreachableError, match="no schema registry answers"):
        stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:31:00")), source="orders")
    registry.refusal = (401, {"message": "the password has changed"})
    with pytest.raises(UnreachableError, match="the password has changed"):
        roll_forward(spark, stream.home, plan, stream.home.log())
    registry.refusal = None
    roll_forward(spark, stream.home, plan, stream.home.log())
    expected = [({"shop": 1}, {"shop": 1, "window_end": ENDS, "n": 1})]
    assert read(spark, broker, registry, "confluent-later") == expected
