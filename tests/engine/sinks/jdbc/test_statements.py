"""Statements for a database are those that the docstrings show. They need neither a database nor Spark."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_nrt.engine.sinks.jdbc import commit
from airflow_nrt.engine.sinks.jdbc.dialects import PostgreSql
from airflow_nrt.engine.sinks.jdbc.refusals import _Search
from airflow_nrt.engine.sinks.jdbc.tables import Tables
from airflow_nrt.engine.sinks.jdbc.taking_over import take_over
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable
from airflow_nrt.engine.sinks.sink import Takeover
from airflow_nrt.sql.load import plan_script

REPORT = """
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE curve (shop INT, e TIMESTAMP(3), total INT, PRIMARY KEY (shop, e) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://there/reports', 'table-name' = 'curve');
INSERT INTO curve SELECT shop, window_end, SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
"""


class Recording:
    """A database that has an answer, and keeps what it was asked."""

    dialect = PostgreSql()
    schema = "public"

    def __init__(self, *answer: tuple[Any, ...]) -> None:
        self.answer = list(answer)
        self.asked: list[str] = []

    def execute(self, statement: str) -> None:
        self.asked.append(statement)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        self.asked.append(statement)
        return self.answer

    def columns(self, table: str) -> dict[str, str]:
        return {"shop": "integer", "e": "timestamp", "total": "integer"}

    def transaction(self) -> AbstractContextManager[None]:
        return nullcontext()


(INSERT,) = plan_script(REPORT, {}, "report", Path()).inserts
HOME: Any = SimpleNamespace(identity=lambda: SimpleNamespace(id="a1"))
NEXT: Any = SimpleNamespace(identity=lambda: SimpleNamespace(id="b2"))
TAKEOVER = Takeover(HOME, [], [])
ENTRY: Any = SimpleNamespace(n=7, epoch=2)
END = 1_718_705_400_000
FILE: Any = SimpleNamespace(end=END, rows=2)
BATCH = commit.Batch(ENTRY, "a1/curve/7", [FILE], 2)
COUNTED = "SELECT COUNT(DISTINCT nrt_row)"
CASES: list[tuple[Callable[..., Any], Recording, Callable[[Any], Any]]] = [
    (Tables.drop_staged, Recording(), lambda tables: tables.drop_staged("a1/")),
    (Tables.ddl, Recording(), lambda tables: tables.database.execute(tables.ddl())),
    (Tables.make_beside, Recording(), lambda tables: tables.make_beside()),
    (Tables.owner, Recording(("a1",)), lambda tables: tables.owner()),
    (Tables._claim, Recording(), lambda tables: tables._claim(HOME)),
    (commit._lock, Recording((1, "a1")), lambda tables: commit._lock(tables, HOME, ENTRY)),
    (commit._newer, Recording(), lambda tables: commit._newer(tables, HOME, ENTRY, [str(END)])),
    (commit.staged_rows, Recording((2, 2, 0)), lambda tables: commit.staged_rows(tables, BATCH.stage, BATCH.rows)),
    (commit._of, Recording(), lambda tables: tables.database.execute(commit._of(tables, "SELECT …", [FILE]))),
    (commit.delete_windows, Recording(), lambda tables: commit.delete_windows(tables, [END])),
    (commit.apply, Recording(), lambda tables: commit.apply(tables, "SELECT …", 1, False)),
    (_Search.ask, Recording(), lambda tables: _Search(tables, BATCH, 0).ask(COUNTED, "nrt_row BETWEEN 0 AND 7")),
    (commit.note, Recording(), lambda tables: commit.note(tables, HOME, ENTRY.n, [str(END)])),
    (take_over, Recording(("a1",)), lambda tables: take_over(tables.database, NEXT, INSERT, TAKEOVER, None)),
    (LakeTable.merge_sql, Recording(), lambda tables: tables.database.execute(merge_into_lake("lake.curve"))),
]


def merge_into_lake(table: str) -> str:
    lake: Any = SimpleNamespace(insert=INSERT)
    return LakeTable.merge_sql(lake, table)


@pytest.mark.parametrize(("function", "database", "act"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_docstrings_show_the_statements(
    function: Callable[..., Any], database: Recording, act: Callable[[Any], Any]
) -> None:
    act(Tables(database, INSERT))  # type: ignore[arg-type]
    shown = " ".join((function.__doc__ or "").split())
    assert database.asked
    assert [one for one in database.asked if " ".join(one.split()) not in shown] == []
