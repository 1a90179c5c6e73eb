"""@udf, @udtf, @udaf and @udtaf: functions declared as in PyFlink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from airflow_nrt.functions import (
    AggregateFunction,
    DataTypes,
    Declared,
    FunctionContext,
    Row,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
)
from airflow_nrt.functions.kinds import Type
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.table.checks.arguments import wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.expressions.function_calls import CallableFunction

__all__ = [
    "AggregateFunction",
    "DataTypes",
    "Declared",
    "FunctionContext",
    "Row",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "udaf",
    "udf",
    "udtaf",
    "udtf",
]

Types = Type | Sequence[Type] | None


def udf(
    f: Any = None,
    input_types: Types = None,
    result_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Declares a scalar function; with func_type="pandas" one that takes a Series for each argument and returns one."""
    return _declared("udf", f, input_types, deterministic, name=name, result_type=result_type, func_type=func_type)


def udtf(
    f: Any = None,
    input_types: Types = None,
    result_types: Types = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Declares a table function. `result_types` has one type per column, or is one ROW."""
    return _declared("udtf", f, input_types, deterministic, name=name, result_type=result_types)


def udaf(
    f: Any = None,
    input_types: Types = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Declares an aggregate; with func_type="pandas" a function of Series that gives one value."""
    return _declared(
        "udaf",
        f,
        input_types,
        deterministic,
        name=name,
        result_type=result_type,
        accumulator_type=accumulator_type,
        func_type=func_type,
    )


def udtaf(
    f: Any = None,
    input_types: Types = None,
    result_type: Type | None = None,
    accumulator_type: Type | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Declares a table aggregate."""
    return _declared(
        "udtaf", f, input_types, deterministic, name=name, result_type=result_type, accumulator_type=accumulator_type
    )


def _declared(
    kind: str, f: Any, input_types: Types, deterministic: bool | None, **options: Any
) -> Declared | Callable[[Any], Declared]:
    """The declaration of a function, or, without a function, the decorator that declares one."""
    if deterministic is False:
        raise SqlError(
            "deterministic=False: a function that gives another value in each run can't be backfilled, because "
            "nothing would reproduce what the stream published",
            here(),
        )
    listed = input_types if isinstance(input_types, (list, tuple)) else None if input_types is None else (input_types,)

    def declare(function: Any) -> Declared:
        try:
            instance = function() if isinstance(function, type) else function
            # Expressions are callable, but only to raise a helpful error.
            is_function = callable(instance) and not isinstance(instance, Expression)
            if not is_function and not isinstance(instance, UserDefinedFunction):
                raise wrong(f"{kind} takes a function, or an instance of a class of functions", function)
            return CallableFunction(kind, instance, input_types=listed, **options)
        except (TypeError, ValueError) as refused:
            raise SqlError(str(refused), here()) from refused

    return declare if f is None else declare(f)
