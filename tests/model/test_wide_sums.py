"""Sums of DECIMALs of 38 digits are what Python's whole numbers say, or NULL if they need more digits."""

from __future__ import annotations

import random
from decimal import Context, Decimal

import pytest
from pyspark.sql import functions as F

from airflow_nrt.model.wide_sums import exact_total, high_part, low_part, rough_total

MOST = 10**38 - 1
EXACT = Context(prec=60)


def sums(scale: int) -> list[list[int]]:
    """Values without their decimal point, at the limits and anywhere."""
    chance = random.Random(scale)
    found = [[MOST], [-MOST], [MOST, 1], [MOST, 1, -1], [-MOST, -1], [MOST, -MOST], [MOST, MOST, -MOST], [0], [1, -2]]
    found += [[10**28], [10**28 - 1, 1], [-(10**28), 1], [10**37 * 9, 10**37, -1], [-(10**37) * 9, -(10**37), 1]]
    return found + [
        [chance.randint(-MOST, MOST) // 10 ** chance.choice((0, 1, 9, 20)) for _ in range(5)] for _ in range(300)
    ]


@pytest.mark.parametrize("scale", [0, 6, 18, 28, 30, 38])
def test_exact(spark, scale: int) -> None:
    kind, cases = f"DECIMAL(38,{scale})", sums(scale)
    rows = [(n, str(EXACT.scaleb(Decimal(value), -scale))) for n, values in enumerate(cases) for value in values]
    given = spark.createDataFrame(rows, "n INT, text STRING").selectExpr("n", f"CAST(text AS {kind}) AS v")
    lifted = given.selectExpr("n", f"{low_part('v', scale)} AS l", f"{high_part('v', scale)} AS h")
    totals = lifted.groupBy("n").agg(F.sum("l").alias("l"), F.sum("h").alias("h"))
    found = totals.selectExpr(
        "n", f"{exact_total('l', 'h', scale)} AS s", f"{rough_total('l', 'h', scale)} AS r"
    ).collect()
    for n, exact, rough in found:
        whole = sum(cases[n])
        assert exact == (EXACT.scaleb(Decimal(whole), -scale) if abs(whole) <= MOST else None), cases[n]
        assert rough == pytest.approx(whole / 10**scale, rel=1e-9, abs=1e22 / 10**scale)
    assert {whole > MOST for whole in (abs(sum(values)) for values in cases)} == {True, False}
