"""Two processes that publish one entry at the same time: one of them loses, and knows why."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from airflow_nrt.engine.sinks.lakehouse.lake_table import Mark
from tests.engine.sinks.lakehouse.reports import Format, rows, table_of


def test_one_commit_of_two_is_made(spark, lake: Format, tmp_path: Path) -> None:
    """Both begin before one of them is done: to write the row takes a second."""
    plan = lake.plan(tmp_path, "raced", "shop INT, price INT", "SELECT shop, price FROM orders")
    table_of(spark, plan).create("shop INT, price INT", {"made.by": "a test"})
    slow = spark.range(1).selectExpr(
        "CAST(1 AS INT) AS shop", "CAST(length(reflect('java.lang.Thread', 'sleep', 1000L)) AS INT) AS price"
    )

    def publish(n: int) -> bool:
        table = table_of(spark, plan)
        try:
            table.append(slow, Mark("a/writer", 7))
        except Exception as failure:
            assert table.lost_race(failure), failure
            return False
        return True

    with ThreadPoolExecutor(2) as both:
        won = list(both.map(publish, range(2)))
    assert any(won)
    assert len(rows(spark, plan, "shop")) == 1
    assert table_of(spark, plan).published("a/writer") == 7
    # Who comes later finds that it is done.
    assert publish(3) and len(rows(spark, plan, "shop")) == 1
