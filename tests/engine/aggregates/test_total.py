"""Decimals are summed as whole numbers, and none is one off."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.aggregates.total import unscaled

VALUES = 2_000


@pytest.mark.parametrize("digits", [15, 16, 18])
def test_each_value_without_its_decimal_point(spark, digits: int) -> None:
    chance = random.Random(digits)
    for scale in sorted({0, 1, digits // 2, digits - 1, digits}):
        most = 10**digits - 1
        wholes = [most, -most, 0, 1, most // 2 + 1, *(chance.randint(-most, most) for _ in range(VALUES))]
        texts = [str(Decimal(whole).scaleb(-scale)) for whole in wholes]
        rows = spark.createDataFrame([(text,) for text in texts], "text STRING")
        kind = DataType("DECIMAL", precision=digits, scale=scale)
        read = rows.selectExpr(f"CAST(text AS {kind.spark}) AS value")
        assert [row[0] for row in read.selectExpr(unscaled("value", kind)).collect()] == wholes
