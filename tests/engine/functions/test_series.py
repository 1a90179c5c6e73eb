"""Scalar functions as classes, of rows, and of pandas."""

from __future__ import annotations

import pytest

from airflow_nrt.engine.failures.failures import explained
from tests.engine.functions.places import Place, place_of

MODULE = """
    from airflow_nrt.table.functions import DataTypes, Row, ScalarFunction, udf
    import pandas as pd

    class Times(ScalarFunction):
        def open(self, function_context):
            self.factor = 3
        def eval(self, n: int | None) -> int | None:
            return None if n is None else n * self.factor

    class Listed(ScalarFunction):
        def eval(self, *values):
            return list(values)

    listed = udf(Listed(), result_type=DataTypes.ARRAY(DataTypes.BIGINT()))

    @udf(result_type="BIGINT", func_type="pandas")
    def plus(a, b):
        return a + b

    @udf(result_type="ROW<n2 BIGINT, k2 STRING>", func_type="pandas")
    def both(n, k):
        return pd.concat([n * 2, k], axis=1)

    @udf(result_type="BIGINT", func_type="pandas")
    def short(a):
        return a[:1]
"""
NAMES = ("Times", "listed", "plus", "both", "short")
ROWS = [{"at": "00:00", "k": "a", "v": 1}, {"at": "01:00", "k": "b", "v": None}]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    directory = tmp_path_factory.mktemp("report")
    return place_of(directory, "k STRING, v INT", [dict(row) for row in ROWS], NAMES, MODULE)


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_values(spark, place: Place, mode: str) -> None:
    query = (
        "SELECT k, t3, l, p, b.n2, b.k2 FROM (SELECT k, Times(v) AS t3, listed(v, 2, NULL) AS l, plus(v, 10) AS p, "
        "both(v, k) AS b FROM t)"
    )
    assert place.rows(spark, query, mode) == [
        ["a", 3, [1, 2, None], 11, 2, "a"],
        ["b", None, [None, 2, None], None, None, "b"],
    ]


def test_what_pandas_raises_ends_the_driver(spark, place: Place) -> None:
    with pytest.raises(Exception) as failure:
        place.rows(spark, "SELECT short(v) AS c FROM t", "batch")
    told = "pandas function short of 2 rows raised ValueError: 2 rows were given, the result has 1"
    assert told in str(explained(failure.value))
