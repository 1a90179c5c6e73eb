"""Queries in FROM, under the name that the outer query has for them."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.logical.node import OneInput
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Derived(OneInput):
    """A query in parentheses. A list of `columns` renames its columns."""

    query: ast.Query
    alias: str | None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class View(OneInput):
    """A view, or a query of WITH. All of its readers have one `query`, which may be planned in several ways."""

    query: ast.Query
    name: str
    alias: str
