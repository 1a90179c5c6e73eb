"""Scalar and table functions: a row at a time, or with pandas a Series an argument and a DataFrame for a ROW."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Row as SparkRow

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.engine.functions.conversion import conversion, rows_conversion
from airflow_nrt.engine.functions.guard import failed, method_of
from airflow_nrt.functions import Row
from airflow_nrt.program.functions import PythonFunction


def guarded(function: PythonFunction) -> Callable[..., Any]:
    """The function for Spark; a table function gives the list of its rows."""
    convert = rows_conversion(function.result) if function.is_table else conversion(function.result)
    found = method_of(function, "eval")

    def call(*arguments: Any) -> Any:
        if any(arguments[n] is None for n in function.asks_not(len(arguments))):
            return None
        try:
            return convert(found()(*(_taken(value) for value in arguments)))
        except Exception as failure:
            raise failed(function, "", arguments, failure) from failure

    return call


def _taken(value: Any) -> Any:
    """A value of Spark, with the Rows of the product's API, which are mutable."""
    if isinstance(value, SparkRow):
        return Row.of([_taken(one) for one in value], tuple(value.__fields__))
    if type(value) is list:
        return [_taken(one) for one in value]
    if type(value) is dict:
        return {key: _taken(one) for key, one in value.items()}
    return value


def of_series(function: PythonFunction) -> Callable[..., Any]:
    """The function for Spark. Columns of a DataFrame in its result are matched by position."""
    names = [name for name, _ in function.result.children] if function.result.name == "ROW" else None
    found = method_of(function, "eval")

    def call(*arguments: Any) -> Any:
        try:
            result = found()(*arguments)
            if names is not None:
                result = _with_columns(result, names)
            if len(result) != len(arguments[0]):
                raise ValueError(f"{len(arguments[0])} rows were given, the result has {len(result)}")
        except Exception as failure:
            what = f"of {len(arguments[0])} rows raised {type(failure).__name__}: {failure}"
            raise RuntimeError(f"{STOP_MARK}pandas function {function.name} {what}") from failure
        return result

    return call


def _with_columns(result: Any, names: list[str]) -> Any:
    if len(getattr(result, "columns", ())) != len(names):
        raise TypeError(f"the result is no DataFrame of the {len(names)} columns {', '.join(names)}")
    return result.set_axis(names, axis=1)
