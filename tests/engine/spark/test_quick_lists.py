"""Lists are in Java what they were in Python, in one call for ten elements."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

COUNTS = (0, 1, 2, 9, 10, 11, 12, 20, 21, 35)


def in_java(spark: Any, value: object) -> list[Any]:
    found = spark._jvm.PythonUtils.toSeq(value)
    return [found.apply(n) for n in range(found.size())]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", [list, tuple])
def test_texts(spark: SparkSession, kind: type, count: int) -> None:
    texts = ["", "ü\n", *map(str, range(count))][:count]
    assert in_java(spark, kind(texts)) == texts


@pytest.mark.parametrize("count", COUNTS)
def test_columns(spark: SparkSession, count: int) -> None:
    names = [f"c{n}" for n in range(count)]
    assert spark.range(1).select(*(F.col("id").alias(name) for name in names)).columns == names


@pytest.mark.parametrize("value", [["a", None], [None, None], [1, 2], ["a", 1.5], [["a", "b"], ["c"]]])
def test_others_are_converted_as_ever(spark: SparkSession, value: list[object]) -> None:
    assert [list(one) if isinstance(value[0], list) else one for one in in_java(spark, value)] == value


@pytest.mark.parametrize(("count", "most"), [(10, 4), (40, 12)])
def test_the_number_of_calls(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, count: int, most: int) -> None:
    texts, calls = [f"id AS c{n}" for n in range(count)], []
    rows = spark.range(1)
    client = type(spark.sparkContext._gateway._gateway_client)  # type: ignore[union-attr]
    send = client.send_command
    # What goes out of scope meanwhile is forgotten in Java by a call, too.
    kept: list[object] = []
    monkeypatch.setattr(
        client, "send_command", lambda self, text, *more, **how: (calls.append(text), send(self, text, *more, **how))[1]
    )
    kept.append(rows.selectExpr(*texts))
    assert len([one for one in calls if one.startswith(("c\n", "i\n"))]) <= most
