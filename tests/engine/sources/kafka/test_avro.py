"""Records of Avro that another library has written."""

from __future__ import annotations

import io
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.sources.malformed import FAULT, WHY
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.home.log.entries import Commit
from tests.engine.sources.kafka.reports import TopicStream, read_as, report
from tests.servers.kafka import Broker, Topics

ORDER = {
    "type": "record",
    "name": "order",
    "fields": [
        {"name": "shop", "type": ["null", "int"]},
        {"name": "price", "type": ["null", "int"]},
        {"name": "ts", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
    ],
}
ALL_COLUMNS = """tiny TINYINT, n BIGINT NOT NULL, price DECIMAL(20, 2), name STRING, bytes BYTES, d DATE, tm TIME(3),
    ts TIMESTAMP(6), at TIMESTAMP_LTZ(3), place ROW<x SMALLINT, since TIMESTAMP(3)>"""
ALL = {
    "type": "record",
    "name": "everything",
    "fields": [
        {"name": "tiny", "type": ["null", "int"]},
        {"name": "n", "type": "long"},
        {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}]},
        {"name": "name", "type": ["null", "string"]},
        {"name": "bytes", "type": ["null", "bytes"]},
        {"name": "d", "type": ["null", {"type": "int", "logicalType": "date"}]},
        {"name": "tm", "type": ["null", "int"]},
        {"name": "ts", "type": ["null", {"type": "long", "logicalType": "local-timestamp-micros"}]},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {
            "name": "place",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "place",
                    "fields": [
                        {"name": "x", "type": ["null", "int"]},
                        {"name": "since", "type": ["null", {"type": "long", "logicalType": "local-timestamp-millis"}]},
                    ],
                },
            ],
        },
    ],
}


def encoded(schema: dict[str, Any], **row: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), row)
    return out.getvalue()


def order(shop: int, price: int, at: str) -> bytes:
    return encoded(ORDER, shop=shop, price=price, ts=datetime.fromisoformat(f"2024-06-18 {at}+00:00"))


def test_every_type(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("avro-types")
    full = {
        "tiny": -128,
        "n": 2**40,
        "price": Decimal("-12345678901234567.89"),
        "name": "Zürich",
        "bytes": b"\x00\xff",
        "d": date(2024, 6, 18),
        "tm": 36_061_002,
        "ts": datetime(2024, 6, 18, 10, 1, 0, 123456),
        "at": datetime(2024, 6, 18, 10, 1, tzinfo=timezone.utc),
        "place": {"x": 7, "since": datetime(1899, 12, 31, 23, 59, 59, 999000)},
    }
    empty = dict.fromkeys(full) | {"n": 0}
    topics.write(
        "avro-types", [encoded(ALL, **full), encoded(ALL, **empty), None, encoded(ALL, **full | {"tiny": 128})]
    )
    options = "'format' = 'avro', 'avro.timestamp_mapping.legacy' = 'false'"
    first, second, beyond = read_as(spark, tmp_path, broker, "avro-types", ALL_COLUMNS, options)
    expected = {**full, "at": datetime(2024, 6, 18, 10, 1), "place": (7, datetime(1899, 12, 31, 23, 59, 59, 999000))}
    assert tuple(first) == (*expected.values(), None, None)
    assert tuple(second) == (*empty.values(), None, None)
    assert (beyond.tiny, beyond.name, beyond[FAULT]) == (None, "Zürich", "tiny")
    assert beyond[WHY] == "column tiny: its number is beyond its type"


def test_arrays_maps_and_keys(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("avro-keys")
    nullable = ["null", "int"]
    nested = {
        "type": "record",
        "name": "nested",
        "fields": [
            {"name": "a", "type": ["null", {"type": "array", "items": nullable}]},
            {"name": "m", "type": ["null", {"type": "map", "values": nullable}]},
        ],
    }
    key = {"type": "record", "name": "key", "fields": [{"name": "id", "type": ["null", "string"]}]}
    topics.write("avro-keys", [encoded(nested, a=[1, None], m={"x": 2})], key=encoded(key, id="k"))
    topics.write("avro-keys", [encoded(nested, a=[], m=None)])
    options = """'value.format' = 'avro', 'key.format' = 'avro', 'key.fields' = 'k_id', 'key.fields-prefix' = 'k_',
        'value.fields-include' = 'EXCEPT_KEY'"""
    rows = read_as(spark, tmp_path, broker, "avro-keys", "k_id STRING, a ARRAY<INT>, m MAP<STRING, INT>", options)
    assert [tuple(one) for one in rows] == [("k", [1, None], {"x": 2}, None, None), (None, [], None, None, None)]


def test_a_report_over_avro_is_verified(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("avro-orders")
    plan = report(tmp_path, broker.address, "avro-orders", format="avro", avro_ignore__parse__errors="true")
    good = order(1, 5, "10:01:00")
    # Of a newer schema, in the envelope of a registry, and cut: each would give values, or some of them.
    strange = [good + b"\x02\x00", b"\x00\x00\x00\x00\x01" + good, good[:-2]]
    topics.write("avro-orders", [good, *strange, order(1, 7, "10:31:00")])
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert stream.curve() == [("10:10", 1, 5)]
    commit = [entry.body for entry in stream.entries if isinstance(entry.body, Commit)][-1]
    found = sorted((one["file"], one["line"]) for one in records(stream.home.root / commit.ledger / REJECTED))
    assert found == [(f"avro-orders-0@{n}", value.hex().upper()) for n, value in enumerate(strange, start=1)]
    assert verify(spark, plan, stream.home).is_proven


def test_malformed_bytes_stop_the_report(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("avro-strict")
    plan = report(tmp_path, broker.address, "avro-strict", format="avro", source_rejected_limit="0")
    topics.write("avro-strict", [order(1, 5, "10:01:00"), b"\x05"])
    with pytest.raises(Exception) as stopped:
        TopicStream(spark, plan, tmp_path / "home").absorb_new()
    known = str(explained(stopped.value))
    assert "it is no Avro record of the table's columns" in known and "(avro-strict-0@1: 05)" in known
    assert "'avro.ignore-parse-errors' = 'true'" in known
