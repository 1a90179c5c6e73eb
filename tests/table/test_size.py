"""Programs that a loop has written: deep, wide, long."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import reduce
from operator import add
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.table import EnvironmentSettings, Expression, Over, Table, TableEnvironment, Tumble, col, lit, udf
from airflow_nrt.table.checks.depth import DEEPEST

PRICE = col("price")


@pytest.fixture
def orders() -> Table:
    environment = TableEnvironment(base=Path("/data"))
    environment.execute_sql(
        "CREATE TABLE orders (ts TIMESTAMP(3), shop STRING, price INT, WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv')"
    )
    return environment.from_path("orders")


def summed(terms: int, first: Expression) -> Expression:
    return reduce(add, [1] * terms, first)


def windowed(orders: Table, value: Expression) -> Table:
    window = Tumble.over(lit(5).seconds).on(col("ts")).alias("w")
    return orders.window(window).group_by(col("w")).select(value)


DEEP: dict[str, Callable[[Table, int], Table]] = {
    "select": lambda t, n: t.select(summed(n, PRICE)),
    "where": lambda t, n: t.where(summed(n, PRICE) > 0),
    "a key": lambda t, n: t.group_by(summed(n, PRICE).alias("k")).select(col("k")),
    "in an aggregate": lambda t, n: windowed(t, summed(n, PRICE).sum),
    "of an aggregate": lambda t, n: windowed(t, summed(n, PRICE.sum)),
    "a row window": lambda t, n: t.over_window(Over.order_by(col("ts")).alias("o")).select(
        summed(n, PRICE.sum.over(col("o")))
    ),
    "a partition": lambda t, n: t.over_window(
        Over.partition_by(summed(n, PRICE)).order_by(col("ts")).alias("o")
    ).select(PRICE.sum.over(col("o"))),
    "a join": lambda t, n: t.join(t.select(col("shop").alias("s")), summed(n, PRICE) > 0),
}


@pytest.mark.parametrize("where", DEEP)
def test_what_nests_too_deeply_is_told(orders: Table, where: str) -> None:
    DEEP[where](orders, DEEPEST - 5)
    for terms in (DEEPEST, 400, 5000):
        with pytest.raises(InputError, match=rf"test_size.py, line \d+: .*more than {DEEPEST} operations"):
            DEEP[where](orders, terms)


def test_functions_inside_of_functions_have_the_same_limit(orders: Table) -> None:
    own = udf(lambda value: value, result_type="INT", name="own")
    orders.select(reduce(lambda inner, _: own(inner), range(DEEPEST - 5), PRICE))
    with pytest.raises(InputError, match=rf"test_size.py, line \d+: .*more than {DEEPEST} operations"):
        orders.select(reduce(lambda inner, _: own(inner), range(DEEPEST), PRICE))


def test_an_expression_of_any_depth_has_a_text() -> None:
    assert repr(summed(3, PRICE)) == "price + 1 + 1 + 1"
    assert repr(summed(5000, PRICE)) == "an expression that nests deeply"


def test_halves_that_are_combined_may_be_many(orders: Table) -> None:
    terms = [PRICE + n for n in range(2000)]
    while len(terms) > 1:
        terms = [reduce(add, terms[n : n + 2]) for n in range(0, len(terms), 2)]
    assert len(orders.select(terms[0].alias("total")).columns) == 1


LONG: dict[str, Callable[[Table, int], Table]] = {
    "columns": lambda t, n: t.add_columns((PRICE + n).alias(f"c{n}")),
    "columns of the one before": lambda t, n: t.add_columns((col(f"c{n - 1}" if n else "price") + n).alias(f"c{n}")),
    "filters": lambda t, n: t.where(n < PRICE),
    "unions": lambda t, n: t.union_all(t.environment.from_path("orders")),
}


@pytest.mark.parametrize("what", LONG)
def test_each_step_of_a_long_program_costs_the_same(orders: Table, what: str) -> None:
    start = time.process_time()
    table = reduce(LONG[what], range(80), orders)
    assert table.environment.plan_of(table).inserts
    # Alone they take half a second; each step planned anew took 13.
    assert time.process_time() - start < 4
    assert len(table.columns) == (83 if what.startswith("columns") else 3)


def test_what_is_known_of_a_table_ends_with_the_next_statement(orders: Table) -> None:
    environment, below = orders.environment, orders.add_columns(lit(1).alias("one"))
    environment.execute_sql("SET 'table.local-time-zone' = 'Asia/Tokyo'")
    above = below.add_columns(col("ts").cast(environment.sql_query("SELECT NOW() AS n FROM orders").columns[0].type))
    assert len(above.columns) == 5
    assert "Asia/Tokyo" in environment.plan_of(above).inserts[0].query.sql


def test_spark_takes_what_is_allowed(spark, tmp_path: Path) -> None:
    (tmp_path / "numbers.csv").write_text("3\n")
    environment = TableEnvironment(EnvironmentSettings.in_batch_mode(), base=tmp_path)
    environment.execute_sql(
        "CREATE TABLE numbers (price INT) WITH ('connector' = 'filesystem', 'path' = 'numbers.csv', 'format' = 'csv')"
    )
    deep = environment.from_path("numbers").select(summed(DEEPEST - 1, PRICE).alias("c0"))
    long = reduce(lambda table, n: table.add_columns((col(f"c{n - 1}") + 1).alias(f"c{n}")), range(1, 10), deep)
    (row,) = long.execute().rows()
    assert row["c9"] == 3 + DEEPEST - 1 + 9
