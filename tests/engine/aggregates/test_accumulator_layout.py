"""What the partials of several aggregates hold, without their keys and without Spark."""

from __future__ import annotations

from airflow_nrt.basics.types import BIGINT
from airflow_nrt.engine.aggregates.accumulator_layout import accumulator_layout
from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.model.operators import AggregateCall


def call(
    name: str, function: str, argument: str | None = None, condition: str | None = None, distinct: bool = False
) -> AggregateCall:
    kind = None if argument is None else BIGINT
    return AggregateCall(name, function, argument, kind, condition, distinct, BIGINT, f"{function}(…)")


ALL, OF_VALUES = call("c", "COUNT"), call("v", "COUNT", "a0")
FILTERED, DISTINCT = call("f", "COUNT", None, "f0"), call("d", "COUNT", "a0", distinct=True)


def test_the_number_of_rows_is_that_of_the_call_that_counts_all() -> None:
    """Whatever stands before it, and however many calls count."""
    others = (OF_VALUES, FILTERED, DISTINCT)
    assert accumulator_layout(others).row_count is None
    found = accumulator_layout((*others, ALL, call("again", "COUNT"))).row_count
    assert found == accumulator_layout((ALL,)).row_count
    assert found is not None and found.lift == "IF(true, 1, 0)"


def test_calls_of_one_operand_share_accumulators() -> None:
    layout = accumulator_layout((OF_VALUES, call("s", "SUM", "a0"), call("m", "AVG", "a0")))
    names = [one.name for one in layout.of_rows]
    assert len({*names}) == len(names) < sum(len(accumulator_layout((one,)).of_rows) for one in layout.calls)
    assert [name for name, _ in layout.results] == ["v", "s", "m"]


def test_distinct_values_are_columns_before_the_accumulators() -> None:
    layout = accumulator_layout((ALL, DISTINCT, call("e", "COUNT", "a0", "f0", distinct=True)))
    assert layout.values == ("x0", "x1")
    assert layout.columns == ("x0", "x1", *(one.name for one in layout.of_rows))
    assert layout.lifted[:2] == ["a0 AS x0", "IF(f0, a0, NULL) AS x1"]
    assert len(layout.all) == len(layout.of_rows) + 2


def test_other_accumulators_come_first() -> None:
    start = Accumulator("start", "ts", "BIGINT", "min({0}){over}")
    layout = accumulator_layout((ALL,), start)
    assert layout.of_rows[0] == start and layout.row_count == layout.of_rows[1]


def test_errors_name_the_place() -> None:
    (finished,) = accumulator_layout((call("s", "SUM", "a0"),)).finished("'here'")
    assert "'here'" in finished and "{place}" not in finished and finished.endswith(" AS s")
