"""Declarations of functions: what a decorator makes, and what it refuses."""

from __future__ import annotations

from functools import partial

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.table import TableEnvironment, col
from airflow_nrt.table.functions import (
    AggregateFunction,
    DataTypes,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)


class Half(ScalarFunction):
    def eval(self, n):
        return n / 2


class Split(TableFunction):
    def eval(self, s):
        yield from s.split()


class Total(AggregateFunction):
    def accumulate(self, accumulator, n):
        accumulator[0] += n

    def merge(self, accumulator, accumulators):
        for other in accumulators:
            accumulator[0] += other[0]


class Best(TableAggregateFunction):
    pass


def test_a_decorator_with_and_without_arguments() -> None:
    @udf(result_type="BIGINT", func_type="pandas")
    def one(n):
        return n + 1

    two = udf(lambda n: n + 2, result_type=DataTypes.BIGINT(), name="two")
    three = udtf(Split(), result_types=[DataTypes.STRING()])
    assert (one.kind, one.title, one.is_pandas, one.call(1)) == ("udf", "one", True, 2)
    assert (two.title, two.is_pandas, two.call(1)) == ("two", False, 3)
    assert (three.kind, three.title, list(three.call("a b"))) == ("udtf", "Split", ["a", "b"])
    assert (udf(Half).call(4), udaf(Total()).call.__name__, udtaf(Best()).title) == (2, "accumulate", "Best")


def test_only_a_merge_of_its_own_counts() -> None:
    assert Total().merges and not Best().merges


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: udf(Total()), "udf takes a ScalarFunction, Total is none"),
        (lambda: udtf(3), "udtf takes a function or a TableFunction, not 3"),
        (lambda: udaf(len), "len: a general udaf is a class, inherit from AggregateFunction"),
        (lambda: udaf(Total(), func_type="pandas"), "Total: a pandas aggregate is a function of Series"),
        (lambda: udf(len, func_type="numpy"), "func_type 'numpy': there are 'general' and 'pandas'"),
        (lambda: udf(len, deterministic=False), "nothing would reproduce what the stream published"),
        (lambda: DataTypes.DECIMAL(39, 2), "a number has 1 to 38 digits"),
        (lambda: DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())] * 2), "two fields of a ROW have one name: a, a"),
    ],
)
def test_what_is_refused(declare, message: str) -> None:
    with pytest.raises((InputError, ValueError)) as wrong:
        declare()
    assert message in str(wrong.value)


def test_data_types() -> None:
    kind = DataTypes.ROW(
        [
            DataTypes.FIELD("n", DataTypes.BIGINT(False)),
            DataTypes.FIELD("m", DataTypes.MAP(DataTypes.STRING(), DataTypes.DECIMAL(10, 2))),
        ]
    )
    assert str(kind) == "ROW<`n` BIGINT NOT NULL, `m` MAP<STRING, DECIMAL(10, 2)>>"
    assert DataTypes.BIGINT().not_null() == DataTypes.BIGINT(False)
    assert str(DataTypes.ROW([DataTypes.INT(), DataTypes.TIMESTAMP(3)])) == "ROW<`f0` INT, `f1` TIMESTAMP(3)>"


class Raised:
    def __init__(self, by: int) -> None:
        self.by = by

    def __call__(self, value: int) -> int:
        return int(value**self.by)


def raised(by: int, value: int) -> int:
    return int(value**by)


@pytest.mark.parametrize("make", [Raised, partial(partial, raised)], ids=["an object", "a partial"])
def test_what_is_called_like_a_function(make) -> None:
    """It is known by its class or its function, and is another one where it carries another value."""
    t_env = TableEnvironment.create()
    t_env.execute_sql("CREATE TABLE t (v INT) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json')")
    two, three = udf(make(2)), udf(make(3), result_type="BIGINT")
    table = t_env.from_path("t").select(two(col("v")), two(col("v")), three(col("v")))
    functions = t_env.plan_of(table).functions
    assert len(functions) == len({one.spark_name for one in functions}) == 2
    assert {one.target.lower() for one in functions} == {f"{__name__}.raised"}
