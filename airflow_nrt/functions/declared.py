"""A function with its declaration: the kind, the types as they were written, whether it takes pandas."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_nrt.functions.kinds import (
    AggregateFunction,
    ImperativeAggregate,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    Type,
    UserDefinedFunction,
)

KINDS: dict[str, type[UserDefinedFunction]] = {
    "udf": ScalarFunction,
    "udtf": TableFunction,
    "udaf": AggregateFunction,
    "udtaf": TableAggregateFunction,
}
FUNC_TYPES = ("general", "pandas")


@dataclass(frozen=True, eq=False)
class Declared:
    """A function of one of the `KINDS`: a plain function, or an instance of the kind's class.

    Types are None where none were declared; the planner infers them from annotations. `result_type` of `udtf` may be a
    sequence, one type per column. A `pandas` function takes a Series for each argument, a DataFrame for a ROW.

    Raises TypeError or ValueError if these don't fit each other.
    """

    kind: str
    function: Any
    result_type: Type | Sequence[Type] | None = None
    accumulator_type: Type | None = None
    input_types: Sequence[Type] | None = None
    func_type: str = "general"
    name: str | None = None

    def __post_init__(self) -> None:
        expected = KINDS[self.kind]
        if isinstance(self.function, type):
            raise TypeError(f"{self.kind} takes an instance: write {self.kind}({self.function.__name__}())")
        if isinstance(self.function, UserDefinedFunction) and not isinstance(self.function, expected):
            raise TypeError(f"{self.kind} takes a {expected.__name__}, {self.title} is none")
        if not isinstance(self.function, expected) and not callable(self.function):
            raise TypeError(f"{self.kind} takes a function or a {expected.__name__}, not {self.function!r}")
        if self.func_type not in FUNC_TYPES:
            raise ValueError(f"func_type {self.func_type!r}: there are {' and '.join(map(repr, FUNC_TYPES))}")
        if self.is_pandas and self.kind in ("udtf", "udtaf"):
            raise ValueError(f"{self.title}: there are pandas functions of udf and udaf, none of {self.kind}")
        if self.is_pandas and isinstance(self.function, ImperativeAggregate):
            raise TypeError(f"{self.title}: a pandas aggregate is a function of Series, write def {self.title}(v)")
        if self.kind in ("udaf", "udtaf") and not self.is_pandas and not isinstance(self.function, expected):
            raise TypeError(f"{self.title}: a general {self.kind} is a class, inherit from {expected.__name__}")
        if not _is_deterministic(self.function):
            raise ValueError(
                f"{self.title} gives another value in each run, so that no backfill could reproduce what the stream "
                "published: leave deterministic=False away, or use a column of the source"
            )

    @property
    def is_pandas(self) -> bool:
        return self.func_type == "pandas"

    @property
    def title(self) -> str:
        """Its name, for people."""
        function = self.function
        while isinstance(function, functools.partial):
            function = function.func
        return self.name or str(getattr(function, "__name__", None) or type(function).__name__)

    @property
    def call(self) -> Callable[..., Any]:
        """The callable for the values of a row: the function, or `eval` or `accumulate` of the class."""
        found: Callable[..., Any] = self.function
        if isinstance(found, UserDefinedFunction):
            found = getattr(found, "accumulate" if isinstance(found, ImperativeAggregate) else "eval")
        return found


def _is_deterministic(function: Any) -> bool:
    return not isinstance(function, UserDefinedFunction) or function.is_deterministic()
