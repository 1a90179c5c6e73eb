"""Queries in FROM, under the name by which the query around them knows their rows."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.logical.node import OneInput
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Derived(OneInput):
    """A query in parentheses. With a list of `columns` these have other names than inside."""

    query: ast.Query
    alias: str | None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class View(OneInput):
    """A view, or a query that WITH names. All readers of it read one `query`, which may be planned in several ways."""

    query: ast.Query
    name: str
    alias: str
