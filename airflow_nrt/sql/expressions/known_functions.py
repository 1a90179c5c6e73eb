"""The Python functions of the script that is being planned, by their names in upper case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from airflow_nrt.program.functions import PythonFunction

_KNOWN: ContextVar[Mapping[str, PythonFunction | None]] = ContextVar("known functions", default={})  # noqa: B039


@contextmanager
def calling(functions: Mapping[str, PythonFunction | None]) -> Iterator[None]:
    """Plans with these functions beside the built-in ones. None stands for one whose declaration is wrong."""
    token = _KNOWN.set(functions)
    try:
        yield
    finally:
        _KNOWN.reset(token)


def known_functions() -> Mapping[str, PythonFunction | None]:
    return _KNOWN.get()


def known_aggregate(name: str) -> PythonFunction | None:
    """The aggregate or table aggregate of this name."""
    function = _KNOWN.get().get(name)
    return function if function is not None and function.is_aggregate else None
