"""The four kinds of functions as classes to inherit from (FLIP-29).

                  one row in              many rows in
one row out       ScalarFunction          AggregateFunction
many rows out     TableFunction           TableAggregateFunction
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from airflow_nrt.basics.types import DataType

Type: TypeAlias = DataType | str
"""A type as `DataTypes.BIGINT()` or as SQL: `'BIGINT'`."""


class RetractableCollector:
    """`collect(row)` emits a row of the result, `retract(row)` retracts one. `rows` are those emitted and not
    retracted."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def collect(self, row: Any) -> None:
        self.rows.append(row)

    def retract(self, row: Any) -> None:
        """Raises ValueError if the row was not emitted, or is retracted already."""
        if row not in self.rows:
            raise ValueError(f"{row!r} is retracted, and was not collected before")
        self.rows.remove(row)


class FunctionContext:
    """The argument of `open`. There are no job parameters here: read a table, or the module's own constants."""

    def get_job_parameter(self, key: str, default: str) -> str:
        return default


class UserDefinedFunction:
    """The base of all kinds. `open` is called once before the first row of a process."""

    def open(self, function_context: FunctionContext) -> None:
        pass

    def close(self) -> None:
        pass

    def is_deterministic(self) -> bool:
        return True


class ScalarFunction(UserDefinedFunction):
    """One value of each row, or a Row, which `map` makes columns of."""

    def eval(self, *args: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no eval(self, …)")


class TableFunction(UserDefinedFunction):
    """Any number of rows of each row: `eval` yields or returns them, as tuples, Rows or single values."""

    def eval(self, *args: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no eval(self, …)")


class ImperativeAggregate(UserDefinedFunction):
    """An aggregate with accumulators. `accumulate`, `retract` and `merge` change the accumulator that they are given.

    With `merge`, rows can be accumulated in parts and in any order, so that only partial accumulators are kept. Without
    it, the rows are kept, and accumulated in the order in which they arrived.
    """

    def create_accumulator(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no create_accumulator(self)")

    def accumulate(self, accumulator: Any, *args: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no accumulate(self, accumulator, …)")

    def retract(self, accumulator: Any, *args: Any) -> None:
        """Never called here: where rows change, their group is accumulated again."""
        raise NotImplementedError(f"{type(self).__name__} has no retract(self, accumulator, …)")

    def merge(self, accumulator: Any, accumulators: Iterable[Any]) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no merge(self, accumulator, accumulators)")

    def get_accumulator_type(self) -> Type | None:
        return None

    def get_result_type(self) -> Type | None:
        return None

    @property
    def merges(self) -> bool:
        """Whether the class has a `merge` of its own."""
        return type(self).merge is not ImperativeAggregate.merge


class AggregateFunction(ImperativeAggregate):
    """One value of many rows, or a Row, which `aggregate` makes columns of."""

    def get_value(self, accumulator: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no get_value(self, accumulator)")


class TableAggregateFunction(ImperativeAggregate):
    """Any number of rows of many rows: `emit_value` emits them, or `emit_update_with_retract` their changes."""

    def emit_value(self, accumulator: Any) -> Iterable[Any]:
        out = RetractableCollector()
        self.emit_update_with_retract(accumulator, out)
        return out.rows

    def emit_update_with_retract(self, accumulator: Any, out: RetractableCollector) -> None:
        """Emits what has changed since this accumulator last emitted rows. Here none ever has, so that all rows are
        emitted.

        The engine compares results itself: a function needs this only where Flink runs it too.
        """
        raise NotImplementedError(f"{type(self).__name__} has no emit_value(self, accumulator)")
