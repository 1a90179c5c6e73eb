"""Contents of records that cost more than their bytes say, read without a broker."""

from __future__ import annotations

import json

import pytest

from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.kafka.contents import parsed
from airflow_nrt.model.connectors.kafka_options import key_part, value_part
from airflow_nrt.model.tables import Column, Table

COLUMNS = (Column("id", DataType("INT")), Column("many", DataType("ARRAY", children=(("element", DataType("INT")),))))


def topic(**options: str) -> Table:
    given = {name.replace("__", "."): value for name, value in options.items()}
    bound = {"source.max-line-elements": "100"}
    return Table("orders", COLUMNS, "kafka", options={"topic": "orders", **given, **bound})


def faults(spark, contents: list[str], part: Table) -> list[tuple[str | None, str | None]]:
    """By record what is at fault, and why."""
    records = spark.createDataFrame([(n, one.encode()) for n, one in enumerate(contents)], "n INT, content BINARY")
    rows = parsed(records, "content", part, part.columns, KeptSchemas(None))
    return [(row["_nrt_fault"], row["_nrt_why"]) for row in sorted(rows.collect(), key=lambda row: row["n"])]


@pytest.mark.parametrize("form", ["json", "debezium-json"])
def test_records_of_many_elements(spark, form: str) -> None:
    rows = [{"id": 1, "many": [1] * count} for count in (90, 100)]
    changes = [{"before": None, "after": row, "op": "c"} for row in rows]
    contents = [json.dumps(one) for one in (rows if form == "json" else changes)]
    count = 102 if form == "json" else 105
    why = f"it has {count} elements, and 'source.max-line-elements' allows 100"
    assert faults(spark, contents, value_part(topic(format=form))) == [(None, None), ("", why)]


def test_keys_of_many_elements(spark) -> None:
    table = topic(format="json", key__format="json", key__fields="id;many")
    (fault,) = faults(spark, [json.dumps({"id": 1, "many": [[]] * 60})], key_part(table))
    assert fault == ("", "it has 122 elements, and 'source.max-line-elements' allows 100")
