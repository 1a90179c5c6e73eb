"""Functions of rows and groups: names of their columns, names of functions, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.table import (
    AggregateFunction,
    DataTypes,
    Row,
    Table,
    TableAggregateFunction,
    TableEnvironment,
    Tumble,
    call,
    col,
    lit,
    udaf,
    udf,
    udtaf,
    udtf,
)

PAIR = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())])


@pytest.fixture
def orders() -> Table:
    environment = TableEnvironment(base=Path("/data"))
    environment.execute_sql(
        "CREATE TABLE orders (ts TIMESTAMP(3), shop STRING, price INT, WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv')"
    )
    return environment.from_path("orders")


class Both(AggregateFunction):
    def create_accumulator(self):
        return Row(0, "")

    def accumulate(self, accumulator, value):
        accumulator[0] += value

    def merge(self, accumulator, others):
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator):
        return accumulator

    def get_accumulator_type(self):
        return PAIR

    get_result_type = get_accumulator_type


class Best(TableAggregateFunction):
    def create_accumulator(self):
        return Row(0)

    def accumulate(self, accumulator, value):
        accumulator[0] = max(accumulator[0], value)

    def emit_value(self, accumulator):
        yield Row(1, accumulator[0])

    def get_result_type(self):
        return DataTypes.ROW([DataTypes.INT(), DataTypes.INT()])


@udf
def doubled(price: int | None) -> int | None:
    return None if price is None else price * 2


@udtf
def split(text: str | None) -> Iterator[tuple[str, int]]:
    yield from ((word, len(word)) for word in (text or "").split())


def names(table: Table) -> list[str]:
    return table.get_schema().get_field_names()


def test_columns_are_the_fields_of_the_row_or_the_alias(orders: Table) -> None:
    pair = udf(lambda row: Row(row[2], row[1]), result_type=PAIR)
    both = udaf(Both())
    assert names(orders.map(pair)) == ["a", "b"]
    assert names(orders.map(doubled(col("price")))) == ["_c0"]
    assert names(orders.flat_map(split(col("shop")))) == ["f0", "f1"]
    assert names(orders.join_lateral(split(col("shop")).alias("word", "n"))) == ["ts", "shop", "price", "word", "n"]
    assert names(orders.group_by(col("shop")).aggregate(both(col("price"))).select(col("shop"), col("b"))) == [
        "shop",
        "b",
    ]
    window = orders.window(Tumble.over(lit(5).seconds).on(col("ts")).alias("w")).group_by(col("w"), col("shop"))
    grouped = window.aggregate(both(col("price")).alias("x", "y")).select(col("w").end, col("y"), col("x") + 1)
    assert names(grouped) == ["EXPR$0", "y", "_c2"]
    best = orders.group_by(col("shop")).flat_aggregate(udtaf(Best())(col("price")).alias("place", "price"))
    assert names(best.select(col("*"))) == ["shop", "place", "price"]
    assert names(best.select(col("*"), col("price") + 1)) == ["shop", "place", "price", "_c3"]


def test_a_key_may_have_the_name_of_a_column(orders: Table) -> None:
    """What is computed is the same as under any other name."""
    plans, both = [], udaf(Both())
    for name in ("price", "hundreds"):
        grouped = orders.group_by((col("price") / 100).alias(name)).aggregate(both(col("price")))
        plans.append(orders.environment.plan_of(grouped.select(col(name), col("b"))))
    assert plans[0].updating == plans[1].updating


def test_the_time_attribute_stays_beside_lateral_rows(orders: Table) -> None:
    assert "*ROWTIME*" in str(orders.join_lateral(split(col("shop"))).get_schema())
    assert "*ROWTIME*" not in str(orders.map(udf(lambda row: row[0], result_type=DataTypes.TIMESTAMP(3))).get_schema())


def test_an_outer_lateral_join_keeps_rows_without_any(orders: Table) -> None:
    joined = orders.left_outer_join_lateral(split(col("shop")).alias("word", "n")).select(col("shop"), col("word"))
    assert "posexplode_outer" in joined.environment.plan_of(joined).inserts[0].query.sql
    with pytest.raises(InputError, match="takes ON TRUE"):
        orders.left_outer_join_lateral(split(col("shop")).alias("word", "n"), col("n") > 1)
    chosen = orders.join_lateral(split(col("shop")).alias("word", "n"), col("n") > 1)
    assert "WHERE" in chosen.environment.plan_of(chosen).inserts[0].query.sql


def test_equal_names_are_told_apart(orders: Table) -> None:
    one, other = (udf(lambda value, n=n: value + n, result_type=DataTypes.BIGINT()) for n in (1, 2))
    table = orders.select(one(col("price")), other(col("price")), one(other(col("price"))), split_like()(col("shop")))
    plan = table.environment.plan_of(table)
    assert [function.name for function in plan.functions] == ["LAMBDA", "LAMBDA_1", "SPLIT_1"]


def split_like():
    @udf
    def split(text: str) -> str:
        return text

    return split


def test_a_function_has_a_name_in_sql(orders: Table) -> None:
    orders.environment.create_temporary_function("doubled", doubled)
    assert names(orders.environment.sql_query("SELECT doubled(price) AS d FROM orders")) == ["d"]
    assert names(orders.select(call("doubled", col("price")).alias("d"))) == ["d"]


def test_a_name_keeps_its_function(orders: Table) -> None:
    environment = orders.environment
    environment.create_temporary_function("twice", doubled)
    called = orders.select(call("twice", col("price")).alias("d"))
    environment.create_temporary_function("twice", doubled)
    with pytest.raises(InputError, match="function 'Twice' exists already"):
        environment.create_temporary_function("Twice", udf(lambda price: price, result_type="INT"))
    orders.select(doubled(col("price")))
    environment.create_temporary_function("doubled", doubled)
    plan = environment.plan_of(called)
    assert [function.found for function in plan.functions if function.name == "twice"] == [doubled]


@pytest.mark.parametrize(
    ("name", "told"),
    [("upper", "built-in function UPPER"), ("sum", "built-in function SUM"), ("my-f", "no name"), ("a.b.f", "no name")],
)
def test_names_that_no_function_can_have(orders: Table, name: str, told: str) -> None:
    with pytest.raises(InputError, match=f"line .*{told}"):
        orders.environment.create_temporary_function(name, doubled)


def test_a_function_may_be_named_in_any_letters(orders: Table) -> None:
    named = udf(lambda price: price, result_type="INT", name="größe-x")
    assert "_nrt_grex_" in orders.environment.plan_of(orders.select(named(col("price")))).inserts[0].query.sql


@pytest.mark.parametrize(
    "wrong, told",
    [
        (lambda t: t.map(col("price")), "map takes a scalar function, @udf"),
        (lambda t: t.flat_map(doubled(col("price"))), "flat_map takes a table function, @udtf"),
        (lambda t: t.aggregate(doubled(col("price"))), "aggregate takes an aggregate function, @udaf"),
        (
            lambda t: t.group_by(col("shop")).aggregate(udaf(Both())(col("price"))).select(col("a").sum),
            "select after aggregate chooses columns, which are shop, a, b: SUM belongs in a select after that one",
        ),
        (lambda t: t.flat_map(split(col("shop")).alias("a")), "SPLIT_1 gives 2 columns, its alias has 1 name"),
        (lambda t: t.select(split(col("shop"))), "is a table function"),
        (lambda t: t.join_lateral(split(col("shop")).alias("shop", "n")), "the left side has a column 'shop' too"),
        (
            lambda t: t.select(doubled(col("shop"))),
            "the parameter 'price' of DOUBLED is BIGINT, the argument is STRING",
        ),
        (lambda t: t.select(udf(lambda v: v)(col("price"))), "the parameter 'v' has no annotation"),
    ],
)
def test_what_is_refused(orders: Table, wrong, told: str) -> None:
    with pytest.raises(InputError) as refused:
        wrong(orders)
    assert told in str(refused.value)
    assert "test_row_functions.py, line " in str(refused.value)


def test_an_aggregate_needs_a_select(orders: Table) -> None:
    with pytest.raises(AttributeError, match=r"aggregate is no table yet.*write \.select"):
        orders.group_by(col("shop")).aggregate(udaf(Both())(col("price"))).execute()
