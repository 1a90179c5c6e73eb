"""Results in a topic: at least once, and once for a consumer that reads the headers."""

from __future__ import annotations

import io
import json
import re
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream
from tests.engine.sinks.jdbc.reports import ORDERS, arrive
from tests.servers.kafka import Broker, Topics

PAGE = (Path(__file__).parents[4] / "docs/reference/connectors/kafka.md").read_text(encoding="utf-8")
COUNTS = """SELECT shop, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
GROUP BY shop, window_start, window_end"""


def report(place: Path, broker: Broker, topic: str, columns: str, query: str, options: str, kind: str = "kafka"):
    script = f"""{ORDERS}
        CREATE TABLE curve ({columns}) WITH ('connector' = '{kind}', 'topic' = '{topic}',
          'properties.bootstrap.servers' = '{broker.address}', {options});
        INSERT INTO curve {query};
    """
    return plan_script(script, {}, "orders_curve", place)


def consumed(spark, broker: Broker, topic: str) -> list[dict[str, Any]]:
    """All records, in the order of their offsets."""
    options = {"kafka.bootstrap.servers": broker.address, "subscribe": topic, "includeHeaders": "true"}
    rows = spark.read.format("kafka").options(**options).load().orderBy("partition", "offset").collect()
    return [
        {
            "key": None if row.key is None else row.key.decode(),
            "value": None if row.value is None else row.value.decode(),
            **{one.key: one.value.decode() for one in row.headers or ()},
        }
        for row in rows
    ]


def counted_once(records: list[dict[str, Any]]) -> list[str]:
    """What the consumer of the page keeps."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    kept: list[str] = names["results"](records)
    return kept


def test_windows_with_their_headers(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("curves", 1)
    columns = "shop INT, window_end TIMESTAMP(3), n BIGINT"
    plan = report(tmp_path, broker, "curves", columns, COUNTS, "'format' = 'json'")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00"), (2, 7, "10:31:00")), source="orders")
    first, second = sorted(consumed(spark, broker, "curves"), key=lambda one: one["nrt.window_end"])
    assert json.loads(first["value"]) == {"shop": 1, "window_end": "2024-06-18 10:10:00.000", "n": 1}
    assert json.loads(first["key"]) == {"shop": 1, "window_end": "2024-06-18 10:10:00.000"}
    assert (first["nrt.report"], first["nrt.insert"], first["nrt.window_end"]) == (
        "orders_curve",
        "curve",
        "2024-06-18 10:10:00.000",
    )
    entry = next(one.n for one in stream.entries if one.published)
    assert first["nrt.entry"] == second["nrt.entry"] == str(entry)


def test_what_is_written_again_counts_once(
    spark, broker: Broker, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics.create("again", 2)
    columns = "shop INT, window_end TIMESTAMP(3), n BIGINT"
    plan = report(tmp_path, broker, "again", columns, COUNTS, "'format' = 'json'")
    stream = Stream(spark, plan, tmp_path / "home")
    monkeypatch.setattr(StorePath, "delete_all", lambda path: None)
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00"), (2, 7, "10:31:00")), source="orders")
    monkeypatch.undo()
    # The driver died after it wrote the records, so the next one writes them again.
    roll_forward(spark, stream.home, plan, stream.home.log())
    records = consumed(spark, broker, "again")
    assert len(records) == 4 and len({one["nrt.row"] for one in records}) == 2
    assert sorted(json.loads(value)["n"] for value in counted_once(records)) == [1, 1]


def test_an_upsert_retracts_by_a_record_without_a_value(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("upserts", 1)
    columns = "shop INT, n BIGINT, PRIMARY KEY (shop) NOT ENFORCED"
    query = "SELECT shop, COUNT(*) FROM orders GROUP BY shop HAVING COUNT(*) < 2"
    options = "'key.format' = 'json', 'value.format' = 'json'"
    plan = report(tmp_path, broker, "upserts", columns, query, options, "upsert-kafka")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00")), source="orders")
    stream.absorb(arrive(tmp_path, "1", (2, 7, "10:03:00")), source="orders")
    records = consumed(spark, broker, "upserts")
    assert counted_once(records) == ['{"shop":1,"n":1}']
    found = [(one["key"], one["value"], one["nrt.op"]) for one in records]
    assert sorted(found[:2]) == [('{"shop":1}', '{"shop":1,"n":1}', "+I"), ('{"shop":2}', '{"shop":2,"n":1}', "+I")]
    assert found[2:] == [('{"shop":2}', None, "-D")]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("'format' = 'csv'", "1,5"),
        ("'format' = 'debezium-json'", '{"before":null,"after":{"shop":1,"price":5},"op":"c"}'),
        ("'value.format' = 'json', 'key.format' = 'raw', 'key.fields' = 'shop'", '{"shop":"1","price":5}'),
    ],
    ids=["csv", "debezium-json", "key"],
)
def test_formats(spark, broker: Broker, topics: Topics, tmp_path: Path, request, options: str, expected: str) -> None:
    topic = f"sink-{request.node.callspec.id}"
    topics.create(topic)
    columns = "shop STRING, price INT" if "raw" in options else "shop INT, price INT"
    shop = "CAST(shop AS STRING)" if "raw" in options else "shop"
    plan = report(tmp_path, broker, topic, columns, f"SELECT {shop} AS shop, price FROM orders", options)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00")), source="orders")
    (record,) = consumed(spark, broker, topic)
    assert record["value"] == expected
    assert record["key"] == ("1" if "raw" in options else None)


def test_a_topic_that_is_not_there(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    plan = report(tmp_path, broker, "nowhere", "shop INT", "SELECT shop FROM orders", "'format' = 'json'")
    with pytest.raises(InputError, match="has no topic 'nowhere'"):
        Stream(spark, plan, tmp_path / "home")


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("shop INT", "'key.format' = 'json', 'value.format' = 'json'", "needs a PRIMARY KEY … NOT ENFORCED"),
        ("shop INT, PRIMARY KEY (shop) NOT ENFORCED", "'value.format' = 'json'", "needs the option 'key.format'"),
    ],
)
def test_upserts_need_keys(broker: Broker, tmp_path: Path, columns: str, options: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        report(tmp_path, broker, "t", columns, "SELECT shop FROM orders", options, "upsert-kafka")


def test_exactly_once_is_refused_by_name(broker: Broker, tmp_path: Path) -> None:
    options = "'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once'"
    with pytest.raises(InputError, match="Spark's writer has no transactions"):
        report(tmp_path, broker, "t", "shop INT", "SELECT shop FROM orders", options)


def test_avro_is_read_by_others_and_by_a_source(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("sink-avro")
    columns = "shop SMALLINT, n BIGINT NOT NULL, window_end TIMESTAMP(3), gmv DECIMAL(10, 2)"
    query = """SELECT CAST(shop AS SMALLINT), COUNT(*), window_end, CAST(SUM(price) AS DECIMAL(10, 2))
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
        GROUP BY shop, window_start, window_end"""
    options = "'value.format' = 'avro', 'key.format' = 'avro', 'key.fields' = 'shop'"
    plan = report(tmp_path, broker, "sink-avro", columns, query, options)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 7, "10:02:00"), (2, 7, "10:31:00")), source="orders")
    rows = spark.read.format("kafka").options(**{"kafka.bootstrap.servers": broker.address, "subscribe": "sink-avro"})
    (record,) = rows.load().collect()
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
    shop = {"name": "shop", "type": ["null", "int"]}
    fields = [
        shop,
        {"name": "n", "type": "long"},
        {"name": "window_end", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "gmv", "type": ["null", decimal]},
    ]
    at = datetime(2024, 6, 18, 10, 10, tzinfo=timezone.utc)
    assert decoded(record.value, fields) == {"shop": 1, "n": 2, "window_end": at, "gmv": Decimal("12.00")}
    assert decoded(record.key, [shop]) == {"shop": 1}
    script = f"""
        CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 'sink-avro', 'scan.startup.mode' =
          'earliest-offset', 'properties.bootstrap.servers' = '{broker.address}', {options});
        CREATE TABLE nowhere WITH ('connector' = 'blackhole') LIKE t (EXCLUDING OPTIONS);
        INSERT INTO nowhere SELECT * FROM t;
    """
    (source,) = plan_script(script, {}, "again", tmp_path).sources
    (row,) = source_of(source.table).read(spark, source, ReadRequest(arrived(spark, source.table), ONE)).collect()
    assert (row.shop, row.n, row.window_end, row.gmv) == (1, 2, at.replace(tzinfo=None), Decimal("12.00"))


def decoded(content: bytes, fields: list[dict[str, Any]]) -> Any:
    schema = fastavro.parse_schema({"type": "record", "name": "any", "fields": fields})
    return fastavro.schemaless_reader(io.BytesIO(content), schema, None)
