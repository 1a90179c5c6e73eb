"""The declarations of a program of the Table API, found by running it: inserts are collected, and no result is
computed."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import airflow_nrt.table as api
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import Problems
from airflow_nrt.sql.parse import parsed
from airflow_nrt.sql.planner import plan_statements
from airflow_nrt.table.environment.environment import TableEnvironment
from airflow_nrt.table.environment.settings import EnvironmentSettings
from airflow_nrt.table.meaning import MeansQuery
from airflow_nrt.table.tables.result import CloseableIterator, TableResult


@dataclass(frozen=True)
class Declared:
    """The results that a program asks for, and its inserts."""

    results: tuple[Plan, ...]
    written: tuple[Plan, ...]

    @property
    def plans(self) -> tuple[Plan, ...]:
        return (*self.results, *self.written)


def declared_by(file: Path) -> Declared:
    """The declarations of a program, run as `python FILE`. Raises what it raises, except a SystemExit with status 0.

    In this process the Table API computes nothing from then on.
    """
    vars(api)["TableEnvironment"] = _CheckedEnvironment
    _CheckedEnvironment.all = []
    with _started(file):
        try:
            runpy.run_path(str(file), run_name="__main__")
        except SystemExit as ended:
            if ended.code not in (None, 0):
                raise
    results = tuple(plan for one in _CheckedEnvironment.all for plan in one.results)
    return Declared(results, tuple(plan for one in _CheckedEnvironment.all for plan in one.written()))


@contextmanager
def _started(file: Path) -> Iterator[None]:
    """Runs as Python starts a file: with its name as the only argument, and its directory first on the path of
    modules."""
    arguments, path = sys.argv, list(sys.path)
    sys.argv, sys.path[:0] = [str(file)], [str(file.parent)]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = arguments, path


class _CheckedEnvironment(TableEnvironment):
    """An environment that a program creates."""

    all: ClassVar[list[_CheckedEnvironment]] = []

    def __init__(self, settings: EnvironmentSettings | None = None, base: Path | None = None) -> None:
        super().__init__(settings, base)
        self.results: list[Plan] = []
        self.all.append(self)

    def check_insert(self) -> None:
        """Inserts are allowed."""

    def executed(self, table: MeansQuery) -> TableResult:
        self.results.append(self.plan_of(table))
        return _NotComputed(self.results[-1], self.mode)

    def written(self) -> Iterator[Plan]:
        """The plan of its inserts, if it has any. Raises SqlError, or SqlErrors."""
        if any(isinstance(one, parsed.Insert) for one in self.statements):
            yield plan_statements(self.statements, "", "report", self.base, {}, Problems())


class _NotComputed(TableResult):
    """A result without rows."""

    def rows(self) -> Iterator[dict[str, Any]]:
        return iter(())

    def collect(self) -> CloseableIterator:
        return CloseableIterator(_ for _ in ())

    def print(self) -> None:
        """Shows nothing."""
