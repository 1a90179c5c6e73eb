"""Queries whose columns were asked, and what their planning found: a query over one of them goes on from there.

A program asks for the columns of each of its tables, and each table stands over the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import has_over
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation


@dataclass(frozen=True)
class Asked:
    """`relations` is what the query became; it `found` the sources and operators that these read."""

    query: ast.Query
    relations: tuple[Relation, ...]
    found: Findings


class AskedQueries:
    """The queries that mean the same wherever they stand, until another statement comes."""

    def __init__(self) -> None:
        self._known: dict[int, Asked] = {}

    def add(self, asked: Asked) -> None:
        """Remembers it. An OVER call is left out: what it becomes depends on the query around it."""
        items = asked.query.items if isinstance(asked.query, ast.Select) else ()
        if not any(has_over(item.expression) for item in items):
            self._known[id(asked.query)] = asked

    def find(self, query: ast.Query) -> Asked | None:
        return self._known.get(id(query))

    def below(self, query: ast.Query) -> Asked | None:
        """The one that a query begins with."""
        match query:
            case ast.Select(relation=ast.Derived(inner)) | ast.SetOperation(left=inner):
                return self.find(inner)
        return None

    def clear(self) -> None:
        self._known.clear()
