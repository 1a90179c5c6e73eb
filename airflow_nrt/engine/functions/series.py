"""Scalar functions of pandas: a Series an argument, a DataFrame for a ROW, and the same as the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.engine.functions.guard import method_of
from airflow_nrt.program.functions import PythonFunction


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
