"""Wraps the user's code on an executor: it is opened once in a process, and errors name the failed call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.engine.functions.shipped_modules import find_by_text
from airflow_nrt.functions import FunctionContext, UserDefinedFunction
from airflow_nrt.program.functions import PythonFunction


class Opened:
    """A user's function, opened before its first call in a process, with the modules that it imports."""

    def __init__(self, function: PythonFunction) -> None:
        self._function, self._modules = function.found.function, function.modules
        self._is_open = False

    def __call__(self) -> Any:
        if not self._is_open:
            find_by_text(self._modules)
            if isinstance(self._function, UserDefinedFunction):
                self._function.open(FunctionContext())
            self._is_open = True
        return self._function


def failed(function: PythonFunction, method: str, arguments: Sequence[Any], failure: Exception) -> RuntimeError:
    """The error of a call, with the name of the function and its arguments."""
    names = [parameter.name for parameter in function.parameters] if method in ("", "accumulate") else ["accumulator"]
    given = ", ".join(f"{names[min(n, len(names) - 1)]}={value!r}" for n, value in enumerate(arguments))
    called = f"{function.name}.{method}" if method else function.name
    return RuntimeError(f"{STOP_MARK}function {called}({given}) raised {type(failure).__name__}: {failure}")


def method_of(function: PythonFunction, name: str) -> Callable[[], Any]:
    """The method of the opened function; a plain function is its own method."""
    opened = Opened(function)
    return lambda: getattr(opened(), name) if isinstance(function.found.function, UserDefinedFunction) else opened()
