"""Contents of records that cost more than their bytes say, read without a broker."""

from __future__ import annotations

import json

import pytest

from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.kafka.contents import parsed
from airflow_nrt.model.connectors.kafka_options import key_part, value_part
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
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


@pytest.mark.parametrize("form", ["json", *CHANGE_FORMATS])
def test_records_of_many_elements(spark, form: str) -> None:
    rows = [{"id": 1, "many": [1] * count} for count in (90, 100)]
    records = rows if form == "json" else [CHANGE_FORMATS[form].added(row) for row in rows]
    contents = [json.dumps(one) for one in records]
    count = {"json": 102, "canal-json": 105}.get(form, 104)
    why = f"it has {count} elements, and 'source.max-line-elements' allows 100"
    assert faults(spark, contents, value_part(topic(format=form))) == [(None, None), ("", why)]


@pytest.mark.parametrize("form", CHANGE_FORMATS)
def test_changes_and_tombstones(spark, form: str) -> None:
    added = CHANGE_FORMATS[form].added({"id": 1, "many": [2]})
    records = spark.createDataFrame([(json.dumps(added).encode(),), (None,)], "content BINARY")
    part = value_part(topic(format=form))
    (row,) = parsed(records, "content", part, part.columns, KeptSchemas(None)).collect()
    assert (row["_nrt_op"], row["id"], row["many"], row["_nrt_fault"]) == ("+I", 1, [2], None)


def test_keys_of_many_elements(spark) -> None:
    table = topic(format="json", key__format="json", key__fields="id;many")
    (fault,) = faults(spark, [json.dumps({"id": 1, "many": [[]] * 60})], key_part(table))
    assert fault == ("", "it has 122 elements, and 'source.max-line-elements' allows 100")
