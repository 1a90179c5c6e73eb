"""The Avro schema of a table, as Flink derives it, and what Flink refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.avro import CORRECT, LEGACY, Timestamps, record_schema
from airflow_nrt.model.connectors.kafka_options import key_part, value_part
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.load import plan_script


def table(columns: str, options: str = "") -> Table:
    script = f"""
        CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'avro',
          'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'earliest-offset'{options});
        CREATE TABLE nowhere WITH ('connector' = 'blackhole') LIKE t (EXCLUDING OPTIONS);
        INSERT INTO nowhere SELECT * FROM t;
    """
    (source,) = plan_script(script, {}, "avro", Path()).sources
    return source.table


def test_nullability_names_and_types() -> None:
    found = table("id BIGINT NOT NULL, tiny TINYINT, place ROW<x DOUBLE NOT NULL, tags ARRAY<ROW<n INT>>>")
    name = "org.apache.flink.avro.generated.record"
    tag = {
        "type": "record",
        "name": f"{name}_place_tags",
        "fields": [{"name": "n", "type": ["null", "int"], "default": None}],
    }
    place = [
        {"name": "x", "type": "double"},
        {"name": "tags", "type": ["null", {"type": "array", "items": ["null", tag]}], "default": None},
    ]
    assert record_schema(found, found.columns, LEGACY) == {
        "type": "record",
        "name": name,
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "tiny", "type": ["null", "int"], "default": None},
            {
                "name": "place",
                "type": ["null", {"type": "record", "name": f"{name}_place", "fields": place}],
                "default": None,
            },
        ],
    }


@pytest.mark.parametrize(
    ("kind", "timestamps", "expected"),
    [
        ("DATE", LEGACY, {"type": "int", "logicalType": "date"}),
        ("TIME(3)", LEGACY, {"type": "int", "logicalType": "time-millis"}),
        ("TIMESTAMP(3)", LEGACY, {"type": "long", "logicalType": "timestamp-millis"}),
        ("TIMESTAMP(3)", CORRECT, {"type": "long", "logicalType": "local-timestamp-millis"}),
        ("TIMESTAMP(6)", CORRECT, {"type": "long", "logicalType": "local-timestamp-micros"}),
        ("TIMESTAMP_LTZ(3)", CORRECT, {"type": "long", "logicalType": "timestamp-millis"}),
        ("DECIMAL(10, 2)", LEGACY, {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
        ("MAP<STRING, INT>", LEGACY, {"type": "map", "values": ["null", "int"]}),
    ],
)
def test_logical_types(kind: str, timestamps: Timestamps, expected: object) -> None:
    option = ", 'avro.timestamp_mapping.legacy' = 'false'" if timestamps is CORRECT else ""
    found = table(f"c {kind}", option)
    (field,) = record_schema(found, found.columns, timestamps)["fields"]
    assert field == {"name": "c", "type": ["null", expected], "default": None}


def test_a_primary_key_is_not_null() -> None:
    script = """
        SET 'table.exec.state.unbounded' = 'allow';
        CREATE TABLE t (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
          'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'avro', 'value.format' = 'avro');
        CREATE TABLE nowhere (id BIGINT, n INT) WITH ('connector' = 'blackhole');
        INSERT INTO nowhere SELECT id, n FROM t;
    """
    (source,) = plan_script(script, {}, "avro", Path()).sources
    for part, names in ((key_part(source.table), ["id"]), (value_part(source.table), ["id", "n"])):
        first, *_ = fields = record_schema(part, part.columns, LEGACY)["fields"]
        assert first == {"name": "id", "type": "long"} and [one["name"] for one in fields] == names


CORRECTLY = ", 'avro.timestamp_mapping.legacy' = 'false'"


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("c TIMESTAMP(6)", "", "TIMESTAMP(6) in Avro: use TIMESTAMP(3), or, outside of arrays and maps, 'avro.timest"),
        ("c TIMESTAMP_LTZ(3)", "", "TIMESTAMP_LTZ(3) in Avro needs 'avro.timestamp_mapping.legacy' = 'false'"),
        ("c ARRAY<TIMESTAMP_LTZ(3)>", CORRECTLY, "in arrays and maps Flink has no such type"),
        ("c MAP<INT, INT>", "", "keys of Avro's maps are texts, here they are INT"),
        ("`a-b` INT", "", "Avro has no field called 'a-b'"),
        ("a ROW<b_c ROW<d INT>, b ROW<c ROW<d INT>>>", "", "would both be called"),
        ("c INT", ", 'avro.encoding' = 'json'", "'json' is not 'binary', which is all there is here"),
        ("c INT", ", 'avro.codec' = 'snappy'", "there is no option 'avro.codec'"),
    ],
)
def test_what_is_refused(columns: str, options: str, expected: str) -> None:
    with pytest.raises(InputError) as wrong:
        table(columns, options)
    assert expected in str(wrong.value)
