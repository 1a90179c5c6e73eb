"""WHERE, and what the queries in it say of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.node import Node, OneInput
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of


@dataclass(frozen=True, eq=False)
class Filter(OneInput):
    """The rows that hold a condition."""

    condition: ast.Expression
    does: ClassVar[str] = "filter"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("where", text_of(self.condition)),)


@dataclass(frozen=True, eq=False)
class Subquery(OneInput):
    """Rows, each with what a query in a clause above says of it: `IN (SELECT …)`, `EXISTS (SELECT …)`, `(SELECT …)`."""

    query: Node
    written: ast.Query

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input, self.query)
