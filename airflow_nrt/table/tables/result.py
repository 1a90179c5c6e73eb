"""A result that a program requests at once: the rows of a table over bounded input."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.times_of_day import time_of
from airflow_nrt.table.checks.arguments import Complete

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import SparkSession

    from airflow_nrt.model.plan import Plan
    from airflow_nrt.table.tables.schema import TableSchema

_READ: dict[str, Callable[[str], Any]] = {"DECIMAL": Decimal, "DATE": date.fromisoformat, "TIME": time_of}
"""Types that are texts in JSON."""


class CloseableIterator(Iterator[tuple[str, dict[str, Any]]]):
    """An iterator of changes, which `with` closes."""

    def __init__(self, changes: Generator[tuple[str, dict[str, Any]], None, None]) -> None:
        self._changes = changes

    def __next__(self) -> tuple[str, dict[str, Any]]:
        return next(self._changes)

    next = __next__

    def close(self) -> None:
        self._changes.close()

    def __enter__(self) -> CloseableIterator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TableResult(Complete):
    """The result of a plan with one insert. It is computed when it is read."""

    called = "a result"

    def __init__(self, plan: Plan, mode: str) -> None:
        self.plan = plan
        self.mode = mode

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.plan.inserts[0].query.fields]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The final rows, in the form of JSON."""
        from airflow_nrt.engine.query import run_bounded

        return map(json.loads, run_bounded(_session(self.plan), self.plan, self.mode))

    def get_resolved_schema(self) -> TableSchema:
        from airflow_nrt.sql.expressions.scope import ScopeColumn
        from airflow_nrt.table.tables.schema import TableSchema

        fields = self.plan.inserts[0].query.fields
        return TableSchema(tuple(ScopeColumn(field.name, field.type) for field in fields))

    get_table_schema = get_resolved_schema

    def collect(self) -> CloseableIterator:
        """Each change of the result, in order: `+I`, `-U`, `+U` or `-D`, and the row."""
        return CloseableIterator(self._changes())

    def _changes(self) -> Generator[tuple[str, dict[str, Any]], None, None]:
        from airflow_nrt.engine.query import run_changelog

        for line in run_changelog(_session(self.plan), self.plan, self.mode):
            change = json.loads(line)
            yield change["op"], change["row"]

    def print(self) -> None:
        """The changes as a table of text."""
        lines = [["op", *self.names]]
        for op, row in self.collect():
            lines.append([op, *("<NULL>" if value is None else str(value) for value in row.values())])
        widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
        rule = f"+{'+'.join('-' * (width + 2) for width in widths)}+"
        shown = [f"| {' | '.join(cell.rjust(width) for cell, width in zip(line, widths))} |" for line in lines]
        print("\n".join([rule, shown[0], rule, *shown[1:], rule]))
        print(f"{len(lines) - 1} row{'s' if len(lines) != 2 else ''} in set")

    def to_pandas(self) -> pandas.DataFrame:
        """The final rows."""
        import pandas as pd

        frame = pd.DataFrame(list(self.rows()), columns=self.names)
        for field in self.plan.inserts[0].query.fields:
            if field.type.is_timestamp:
                frame[field.name] = pd.to_datetime(frame[field.name])
            elif field.type.name in _READ:
                frame[field.name] = frame[field.name].map(_READ[field.type.name], na_action="ignore")
        return frame

    def wait(self, timeout_ms: int | None = None) -> None:
        """Computes the whole result, however long that takes."""
        for _ in self.collect():
            pass


def _session(plan: Plan) -> SparkSession:
    """The Spark session of this process, started if there is none."""
    from airflow_nrt.engine.java.finding import ensure_java

    ensure_java()
    from pyspark.sql import SparkSession

    from airflow_nrt.engine.spark.report_settings import session_settings
    from airflow_nrt.engine.spark.session import start_session

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    spark = start_session(plan.name, "local[*]", session_settings(plan))
    spark.sparkContext.setLogLevel("OFF")
    return spark
