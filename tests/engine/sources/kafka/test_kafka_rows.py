"""Records of topics as rows, however they are made."""

from __future__ import annotations

import pytest

from airflow_nrt.engine.java import fitting, java_class
from airflow_nrt.engine.sources.kafka.kafka_rows import copied_rows, rows_of_topics
from tests.servers.kafka import Broker, Topics

RANGES = {"rows_a-0": (1, 4), "rows_a-1": (0, 0), "rows_b-0": (0, 1)}


@pytest.fixture(scope="module")
def properties(spark, broker: Broker) -> dict[str, str]:
    topics = Topics(spark, broker.address)
    topics.create("rows_a", 2)
    topics.create("rows_b")
    topics.write("rows_a", ["before", "1", None, "3", "after"], key="k", time=1_718_668_800_123)
    topics.write("rows_b", ["", "after"], headers=[("one", "1"), ("two", "2")])
    topics.close()
    return {"bootstrap.servers": broker.address, "group.id": "rows"}


@pytest.mark.parametrize("headers", [False, True])
def test_the_rows_are_those_that_spark_copies(spark, properties: dict[str, str], headers: bool) -> None:
    ours = rows_of_topics(spark, properties, RANGES, headers)
    theirs = copied_rows(spark, properties, RANGES, headers)
    assert ours.schema == theirs.schema
    rows = sorted(ours.collect(), key=lambda row: (row["topic"], row["offset"]))
    assert rows == sorted(theirs.collect(), key=lambda row: (row["topic"], row["offset"]))
    assert [(one["offset"], one["value"]) for one in rows] == [(1, b"1"), (2, None), (3, b"3"), (0, b"")]
    assert [one["key"] for one in rows] == [b"k", b"k", b"k", None]


def test_rows_that_are_kept_are_not_those_of_a_later_record(spark, properties: dict[str, str]) -> None:
    rows = rows_of_topics(spark, properties, {"rows_a-0": (0, 5)}, False).persist()
    assert [row["offset"] for row in rows.orderBy("offset").collect()] == [0, 1, 2, 3, 4]
    assert rows.selectExpr("collect_list(offset) AS all").first()["all"] == [0, 1, 2, 3, 4]
    rows.unpersist()


def test_a_session_goes_without_a_class_that_does_not_fit(
    spark, properties: dict[str, str], monkeypatch, caplog
) -> None:
    monkeypatch.setattr(java_class, "_shipped", {})
    monkeypatch.setattr(fitting, "_unusable", {})
    monkeypatch.setattr(java_class, "source", lambda name: "no Java")
    assert rows_of_topics(spark, properties, RANGES, False).count() == 4
    assert rows_of_topics(spark, properties, RANGES, False).count() == 4
    assert caplog.text.count("KafkaRows.java does not fit here") == 1
    assert list(fitting.unusable(spark)) == ["KafkaRows"]
