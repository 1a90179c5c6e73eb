"""Records that name their schema by its number in a registry, beside a real broker."""

from __future__ import annotations

import io
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.sources.avro_confluent import registry as asking
from airflow_nrt.engine.sources.malformed import FAULT, WHY
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import TopicStream, read_as, report
from tests.servers.kafka import Broker, Topics
from tests.servers.registry import Registry

MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}


def schema_of(*fields: tuple[str, Any], name: str = "shop.Order") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": one, "type": kind} for one, kind in fields]}


OLD = schema_of(("shop", "int"), ("price", "int"), ("ts", MILLIS))
NEW = schema_of(("note", ["null", "string"]), ("ts", MICROS), ("price", ["null", "int"]), ("shop", "int"))


def encoded(schema: dict[str, Any], number: int, row: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), row)
    return b"\x00" + number.to_bytes(4, "big") + out.getvalue()


def order(schema: dict[str, Any], number: int, shop: int, price: int | None, at: str) -> bytes:
    ts = datetime.fromisoformat(f"2024-06-18 {at}+00:00")
    return encoded(schema, number, {"shop": shop, "price": price, "ts": ts, "note": None})


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_PAUSE", 0.0)


def test_what_a_writer_may_have_for_a_column(
    spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path
) -> None:
    topics.create("confluent-types")
    kind = {"type": "enum", "name": "Kind", "symbols": ["CASH", "CARD"]}
    place = schema_of(("y", "long"), ("x", "int"), ("tag", "Kind"), name="Place")
    writer = schema_of(
        ("kind", kind),
        ("again", "Kind"),
        ("tiny", "int"),
        ("big", "int"),
        ("wide", ["null", "float"]),
        ("several", ["null", "int", "long"]),
        ("amount", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 3}),
        ("fixed", {"type": "fixed", "name": "F", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}),
        ("raw", {"type": "fixed", "name": "G", "size": 2}),
        ("day", {"type": "int", "logicalType": "date"}),
        ("since", {"type": "long", "logicalType": "time-micros"}),
        ("ts", MICROS),
        ("at", MILLIS),
        ("plain", "long"),
        ("number", MILLIS),
        ("place", ["null", place]),
        ("places", {"type": "array", "items": "Place"}),
        ("counts", {"type": "map", "values": ["int", "null"]}),
        ("unused", {"type": "array", "items": MILLIS}),
    )
    number = registry.add(writer)
    instant = datetime(2024, 6, 18, 10, 1, 0, 123456, tzinfo=timezone.utc)
    row = {
        "kind": "CARD",
        "again": "CASH",
        "tiny": -128,
        "big": 2**31 - 1,
        "wide": 1.5,
        "several": 2**40,
        "amount": Decimal("-1234567.891"),
        "fixed": Decimal("12345.67"),
        "raw": b"\x00\xff",
        "day": date(1969, 12, 31),
        "since": 36_061_002_999,
        "ts": instant,
        "at": instant,
        "plain": 1,
        "number": 7,
        "place": {"y": 2**40, "x": 7, "tag": "CARD"},
        "places": [{"y": 1, "x": 300, "tag": "CASH"}],
        "counts": {"a": 1, "b": None},
        "unused": [instant],
    }
    columns = """kind STRING, again STRING, tiny TINYINT, big BIGINT, wide DOUBLE, several BIGINT,
        amount DECIMAL(12, 3), fixed DECIMAL(9, 2), raw BYTES, `day` DATE, since TIME(3), ts TIMESTAMP(6),
        `at` TIMESTAMP_LTZ(3), plain TIMESTAMP(3), `number` BIGINT, place ROW<x SMALLINT, gone STRING, y BIGINT>,
        places ARRAY<ROW<x BIGINT, tag STRING>>, counts MAP<STRING, BIGINT>, gone ARRAY<INT>"""
    expected = {
        **{name: value for name, value in row.items() if name != "unused"},
        "since": 36_061_002,
        "ts": instant.replace(tzinfo=None),
        "at": datetime(2024, 6, 18, 10, 1, 0, 123000),
        "plain": datetime(1970, 1, 1, 0, 0, 0, 1000),
        "place": (7, None, 2**40),
        "places": [(300, "CASH")],
        "gone": None,
    }
    beyond = {**row, "tiny": 128, "place": {**row["place"], "x": 2**15}}
    without = {**row, "place": None, "several": None, "wide": None}
    topics.write("confluent-types", [encoded(writer, number, one) for one in (row, beyond, without)])
    options = f"'format' = 'avro-confluent', 'avro-confluent.url' = '{registry.url}'"
    first, second, third = read_as(spark, tmp_path, broker, "confluent-types", columns, options)
    assert tuple(first) == (*expected.values(), None, None)
    assert (second.tiny, second.place, second.kind) == (None, (None, None, 2**40), "CARD")
    assert second[FAULT].split("\x01") == ["tiny", "place"]
    assert second[WHY] == "column tiny: its value is beyond its type"
    assert tuple(third) == (*(expected | {"place": None, "several": None, "wide": None}).values(), None, None)
    assert [path for path, _ in registry.asked] == [f"/schemas/ids/{number}"]


def test_what_is_no_record_of_the_table(
    spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path
) -> None:
    topics.create("confluent-strange")
    old, text, other, odd = (
        registry.add(one)
        for one in (OLD, '"string"', schema_of(("shop", "string"), ("price", "int")), '{"type": "record"}')
    )
    good = order(OLD, old, 1, 5, "10:01:00")
    strange = [
        (b"\x01" + good[1:], "it does not begin with 0 and the number of a schema in four bytes"),
        (good[:4], "it does not begin with 0 and the number of a schema in four bytes"),
        (good[:-3], f"it is no record of schema {old}"),
        (b"\x00" + text.to_bytes(4, "big") + b"\x02a", f"schema {text}: it is of no record"),
        (b"\x00" + other.to_bytes(4, "big") + b"\x02a", f"schema {other}: field 'shop': string is no INT"),
        (b"\x00" + odd.to_bytes(4, "big") + b"\x02a", f"schema {odd}: it is no schema of Avro: No name in schema"),
        (b"\x00\x7f\xff\xff\xff" + good, f"schema 2147483647: the schema registry at {registry.url} has no such"),
        (encoded(OLD, 99, {"shop": 1, "price": 2, "ts": 3}), "schema 99: the schema registry at "),
    ]
    topics.write("confluent-strange", [good, *(one for one, _ in strange), None, good])
    options = f"'format' = 'avro-confluent', 'avro-confluent.url' = '{registry.url}'"
    rows = read_as(spark, tmp_path, broker, "confluent-strange", "shop INT, price INT", options)
    assert [(one.shop, one.price, one[FAULT]) for one in rows if one[FAULT] is None] == [(1, 5, None)] * 2
    found = [one[WHY] for one in rows if one[FAULT] is not None]
    assert [why.startswith(expected) for why, (_, expected) in zip(found, strange)] == [True] * len(strange), found


def test_a_report_over_changed_schemas_is_verified_without_the_registry(
    spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path
) -> None:
    topics.create("confluent-orders")
    lenient = {"avro-confluent_url": registry.url, "avro-confluent_ignore__parse__errors": "true"}
    plan = report(tmp_path, broker.address, "confluent-orders", format="avro-confluent", **lenient)
    old, new = registry.add(OLD), registry.add(NEW)
    unknown = order(OLD, 77, 1, 100, "10:05:00")
    first = [order(OLD, old, 1, 5, "10:01:00"), order(NEW, new, 1, 7, "10:02:00"), unknown]
    topics.write("confluent-orders", first)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    asked = len(registry.asked)
    # Whoever has the number now: its records were rejected.
    registry.schemas[77] = registry.schemas[old]
    topics.write("confluent-orders", [order(NEW, new, 2, None, "10:03:00"), order(OLD, old, 1, 1, "10:31:00")])
    with registry.away():
        # Another driver, which knows no schema but by the home.
        again = TopicStream(spark, plan, tmp_path / "home")
        again.absorb_new()
        assert again.curve() == [("10:10", 3, 12)]
        assert verify(spark, plan, again.home).is_proven
    assert len(registry.asked) == asked
    commits = [entry.body for entry in again.entries if isinstance(entry.body, Commit) and entry.body.ledger]
    (rejected,) = records(again.home.root / commits[0].ledger / REJECTED)
    assert (rejected["file"], rejected["line"]) == ("confluent-orders-0@2", unknown.hex().upper())


def test_a_registry_that_is_away_is_waited_for(
    spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path
) -> None:
    topics.create("confluent-away")
    options = {"format": "avro-confluent", "avro-confluent_url": registry.url}
    plan = report(tmp_path, broker.address, "confluent-away", **options)
    stream = TopicStream(spark, plan, tmp_path / "home")
    topics.write("confluent-away", [order(OLD, registry.add(OLD), 1, 5, "10:01:00")])
    with registry.away(), pytest.raises(UnreachableError, match="no schema registry answers") as gone:
        stream.absorb_new()
    assert registry.url in str(gone.value)
    again = TopicStream(spark, plan, tmp_path / "home")
    again.absorb_new()
    topics.write("confluent-away", [order(OLD, 1, 1, 1, "10:31:00")])
    again.absorb_new()
    assert again.curve() == [("10:10", 1, 5)]


def test_a_driver_says_what_it_waits_for(
    spark,
    broker: Broker,
    topics: Topics,
    registry: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topics.create("confluent-waits")
    topics.write("confluent-waits", [order(OLD, registry.add(OLD), 1, 5, at) for at in ("10:01:00", "10:31:00")])
    options = {"format": "avro-confluent", "avro-confluent_url": registry.url, "scan_bounded_mode": "latest-offset"}
    plan = report(tmp_path, broker.address, "confluent-waits", **options)
    answer = registry.answer

    def once_away(*asked: Any) -> tuple[int, dict[str, Any]]:
        first = not any(path == "/schemas/ids/1" for path, _ in registry.asked)
        status, said = answer(*asked)
        return (503, {"message": "starting"}) if first and asked[1] == "/schemas/ids/1" else (status, said)

    monkeypatch.setattr(registry, "answer", once_away)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert f"waiting 1 s: table 'orders': no schema registry answers at {registry.url}" in caplog.text
    assert rows_of(tmp_path / "curve", "json")[0][1:] == (1, 5)


def test_a_registry_at_another_place(spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path) -> None:
    topics.create("confluent-moved")
    registry.add(OLD)
    home, moved = tmp_path / "home", Registry()
    try:
        for one, at in ((registry, "10:01:00"), (moved, "10:31:00")):
            topics.write("confluent-moved", [order(OLD, 1, 1, 5, at)])
            options = {"format": "avro-confluent", "avro-confluent_url": one.url}
            plan = report(tmp_path, broker.address, "confluent-moved", **options)
            stream = TopicStream(spark, plan, home)
            if one is moved:
                moved.add(NEW)
                with pytest.raises(InputError, match=f"{moved.url} is another registry than the one that this home"):
                    stream.absorb_new()
                moved.schemas = dict(registry.schemas)
                stream = TopicStream(spark, plan, home)
            stream.absorb_new()
        assert stream.curve() == [("10:10", 1, 5)]
    finally:
        moved.stop()


def test_an_unknown_schema_stops_a_report_that_ignores_nothing(
    spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path
) -> None:
    topics.create("confluent-strict")
    options = {"format": "avro-confluent", "avro-confluent_url": registry.url, "source_rejected_limit": "0"}
    plan = report(tmp_path, broker.address, "confluent-strict", **options)
    topics.write("confluent-strict", [order(OLD, 1, 1, 5, "10:01:00"), order(OLD, 1, 1, 5, "10:31:00")])
    with pytest.raises(Exception) as stopped:
        TopicStream(spark, plan, tmp_path / "home").absorb_new()
    known = str(explained(stopped.value))
    assert "schema 1: the schema registry at" in known and "confluent-strict-0@0" in known
    assert "'avro-confluent.ignore-parse-errors' = 'true'" in known
    # Nothing was decided, so the schema counts once the registry has it.
    registry.add(OLD)
    stream = TopicStream(spark, plan, tmp_path / "home")
    stream.absorb_new()
    assert stream.curve() == [("10:10", 1, 5)]


def test_keys_and_upserts(spark, broker: Broker, topics: Topics, registry: Registry, tmp_path: Path) -> None:
    topics.create("confluent-upserts")
    key_schema, value_schema = schema_of(("id", "int"), name="Key"), schema_of(("n", "int"), name="Value")
    key_number, number = registry.add(key_schema), registry.add(value_schema)
    key = encoded(key_schema, key_number, {"id": 7})
    topics.write("confluent-upserts", [encoded(value_schema, number, {"n": 1}), None], key=key)
    topics.write("confluent-upserts", [encoded(value_schema, number, {"n": 2})], key=b"\x00\x00")
    options = f"""'key.format' = 'avro-confluent', 'value.format' = 'avro-confluent',
        'key.avro-confluent.url' = '{registry.url}', 'value.avro-confluent.url' = '{registry.url}'"""
    script = f"""
        SET 'table.exec.state.unbounded' = 'allow';
        CREATE TABLE t (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
          'topic' = 'confluent-upserts', 'properties.bootstrap.servers' = '{broker.address}', {options});
        CREATE TABLE nowhere (n BIGINT) WITH ('connector' = 'blackhole');
        INSERT INTO nowhere SELECT COUNT(id + n) FROM t;
    """
    (source,) = plan_script(script, {}, "upserts", tmp_path).sources
    rows = source_of(source.table).read(spark, source, ReadRequest(arrived(spark, source.table), ONE))
    found = rows.orderBy("_nrt_block", "_nrt_index").select("id", "n", "_nrt_op", FAULT).collect()
    assert [tuple(one) for one in found] == [(7, 1, "+I", None), (7, None, "-D", None), (None, 2, "+I", "")]
