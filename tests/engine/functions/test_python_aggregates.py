"""Aggregates in Python: their values in windows and without, with merge and without, and what their errors say."""

from __future__ import annotations

import pytest

from airflow_nrt.describe.description import describe
from airflow_nrt.engine.failures.failures import explained
from tests.engine.functions.places import Place, place_of

MODULE = """
    from airflow_nrt.table.functions import AggregateFunction, DataTypes, Row, udaf

    class Stat(AggregateFunction):
        def create_accumulator(self):
            return Row(0, 0)
        def accumulate(self, acc, v):
            if v is not None:
                acc[0] += v
                acc[1] += 1
        def merge(self, acc, others):
            for other in others:
                acc[0] += other[0]
                acc[1] += other[1]
        def get_value(self, acc):
            return Row(acc[0], acc[1])
        def get_accumulator_type(self):
            return DataTypes.ROW([DataTypes.FIELD("f0", DataTypes.BIGINT()), DataTypes.FIELD("f1", DataTypes.BIGINT())])
        def get_result_type(self):
            return "ROW<total BIGINT, n BIGINT>"

    stat = udaf(Stat())

    class Story(AggregateFunction):
        def create_accumulator(self):
            return []
        def accumulate(self, acc, v: int, k: str):
            acc.append(f"{k}{v}")
        def get_value(self, acc) -> str:
            return " ".join(acc)

    class Broken(Stat):
        def open(self, function_context):
            self.limit = int(function_context.get_job_parameter("limit", "4"))
        def accumulate(self, acc, v):
            acc[0] += 1 // (self.limit - (v or 0))

    class Wrong(Stat):
        def get_value(self, acc):
            return Row("many", 1)

    mean = udaf(lambda v: v.mean(), result_type="DOUBLE", func_type="pandas")
"""
NAMES = ("stat", "Story", "mean", "Broken", "Wrong")
ROWS = [
    {"at": "00:00", "k": "a", "v": 1},
    {"at": "01:00", "k": "b", "v": 5},
    {"at": "02:00", "k": "a", "v": None},
    {"at": "11:00", "k": "a", "v": 3},
    {"at": "14:00", "k": "b", "v": 2},
    {"at": "31:00", "k": "a", "v": 7},
]
TUMBLE = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end"
modes = pytest.mark.parametrize("mode", ["stream", "batch"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    directory = tmp_path_factory.mktemp("report")
    return place_of(directory, "k STRING, v INT", [dict(row) for row in ROWS], NAMES, MODULE)


@modes
def test_a_window(spark, place: Place, mode: str) -> None:
    """A parameter that takes no None leaves a row with NULL out."""
    query = (
        "SELECT e, k, s.total, s.n, c, story, m, nothing.n AS nothing FROM (SELECT DATE_FORMAT(window_end, 'mm') AS e, "
        "k, stat(v) AS s, COUNT(*) AS c, Story(v, k) AS story, mean(v) AS m, stat(v) FILTER (WHERE v > 100) AS nothing "
        f"FROM {TUMBLE}, k)"
    )
    assert place.rows(spark, query, mode) == [
        ["10", "a", 1, 1, 2, "a1", 1.0, 0],
        ["10", "b", 5, 1, 1, "b5", 5.0, 0],
        ["20", "a", 3, 1, 1, "a3", 3.0, 0],
        ["20", "b", 2, 1, 1, "b2", 2.0, 0],
        ["40", "a", 7, 1, 1, "a7", 7.0, 0],
    ]


@modes
def test_without_a_window(spark, place: Place, mode: str) -> None:
    """Also over rows that change: then a group is accumulated anew."""
    query = "SELECT k, s.total, story FROM (SELECT k, stat(v) AS s, Story(v, k) AS story FROM t GROUP BY k)"
    assert place.rows(spark, query, mode) == [["a", 11, "a1 a3 a7"], ["b", 7, "b5 b2"]]
    query = "SELECT stat(n) AS s FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k)"
    assert place.rows(spark, query, mode) == [[{"total": 6, "n": 2}]]


@modes
def test_distinct(spark, place: Place, mode: str) -> None:
    """What is the same in all arguments is given to the function once, beside the same function of all rows."""
    query = (
        "SELECT e, s.total, s.n, a.total AS al, story FROM (SELECT DATE_FORMAT(window_end, 'mm') AS e, "
        "stat(DISTINCT MOD(v, 2)) AS s, stat(v) AS a, Story(DISTINCT MOD(v, 2), k) FILTER (WHERE v < 7) AS story "
        "FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '40' MINUTES)) "
        "GROUP BY window_start, window_end)"
    )
    assert place.rows(spark, query, mode) == [
        ["10", 1, 1, 6, "a1 b1"],
        ["20", 1, 2, 11, "a1 b1 b0"],
        ["30", 1, 2, 11, "a1 b1 b0"],
        ["40", 1, 2, 18, "a1 b1 b0"],
    ]
    query = "SELECT k, s.total, s.n FROM (SELECT k, stat(DISTINCT MOD(v, 2)) AS s FROM t GROUP BY k)"
    assert place.rows(spark, query, mode) == [["a", 1, 1], ["b", 1, 2]]
    query = "SELECT stat(DISTINCT n) AS s FROM (SELECT MOD(v, 2) AS m, COUNT(*) AS n FROM t GROUP BY MOD(v, 2))"
    assert place.rows(spark, query, mode) == [[{"total": 5, "n": 2}]]


@modes
def test_over_rows(spark, place: Place, mode: str) -> None:
    over = "OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN {} PRECEDING AND CURRENT ROW)"
    query = (
        f"SELECT k, v, s.total, story FROM (SELECT k, v, stat(v) {over.format('UNBOUNDED')} AS s, "
        f"Story(v, k) {over.format(1)} AS story FROM t) WHERE k = 'a'"
    )
    assert place.rows(spark, query, mode) == [
        ["a", 1, 1, "a1"],
        ["a", 3, 4, "a3"],
        ["a", 7, 11, "a3 a7"],
        ["a", None, 1, "a1"],
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "Broken(v - 3)",
            "function Broken.accumulate(v=4) raised ZeroDivisionError: integer division or modulo by zero",
        ),
        (
            "Wrong(v)",
            "Wrong.get_value(accumulator=Row(f0=1, f1=1)) raised TypeError: the result, field 'total', 'many'",
        ),
    ],
)
def test_what_it_raises_ends_the_driver(spark, place: Place, call: str, message: str) -> None:
    with pytest.raises(Exception) as failure:
        place.rows(spark, f"SELECT {call} AS c FROM {TUMBLE}, k", "batch")
    assert message in str(explained(failure.value))


def test_the_plan_says_whose_rows_are_kept(place: Place) -> None:
    told = describe(place.plan(f"SELECT stat(v) AS a, Story(v, k) AS b, mean(v) AS c FROM {TUMBLE}, k"))
    kept = "all rows of a group for STORY(v, k), MEAN(v): without merge there is no partial"
    assert told["operators"][0]["stored"] == ["partials of open slices", kept]
    told = describe(place.plan(f"SELECT stat(v) AS a, stat(DISTINCT v) AS b FROM {TUMBLE}, k"))
    kept = "all rows of a group for STAT(DISTINCT v): with DISTINCT there is no partial"
    assert told["operators"][0]["stored"] == ["partials of open slices", kept]
