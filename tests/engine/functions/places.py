"""A small table and a module of functions beside it: what the tests of functions ask of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines
from tests.python_modules import write_module

TABLE = (
    "CREATE TABLE t ({}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
    "WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"
)


@dataclass(frozen=True)
class Place:
    """A directory with rows of a table `t` and a module; `names` are its functions that queries call."""

    directory: Path
    columns: str
    module: str
    names: tuple[str, ...]

    def plan(self, query: str, *statements: str) -> Plan:
        declared = [f"CREATE FUNCTION {name} AS '{self.module}.{name}' LANGUAGE PYTHON;" for name in self.names]
        ddl = "\n".join([*declared, TABLE.format(self.columns), *statements])
        return plan_query(ddl, query, self.directory)

    def rows(self, spark: Any, query: str, mode: str, *statements: str) -> list[list[Any]]:
        """What a query gives, sorted."""
        lines = run_bounded(spark, self.plan(query, *statements), mode)
        return sorted((list(json.loads(line).values()) for line in lines), key=repr)


def place_of(directory: Path, columns: str, rows: list[dict[str, Any]], names: tuple[str, ...], text: str) -> Place:
    """Rows are an `at` of minutes and seconds, and the columns."""
    lines = [{**row, "ts": f"2026-01-01 00:{row.pop('at')}.000"} for row in rows]
    write_lines(directory / "t" / "rows.json", map(json.dumps, lines))
    return Place(directory, columns, write_module(directory, text), names)
