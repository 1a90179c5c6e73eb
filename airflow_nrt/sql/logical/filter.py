"""WHERE, and the subqueries of a SELECT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.node import Node, OneInput
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of


@dataclass(frozen=True, eq=False)
class Filter(OneInput):
    """The rows for which a condition is true."""

    condition: ast.Expression
    does: ClassVar[str] = "filter"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("where", text_of(self.condition)),)


@dataclass(frozen=True, eq=False)
class Subquery(OneInput):
    """Rows with the result of a subquery of the SELECT above: `IN (SELECT …)`, `EXISTS (SELECT …)`, `(SELECT …)`."""

    query: Node
    written: ast.Query

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input, self.query)
