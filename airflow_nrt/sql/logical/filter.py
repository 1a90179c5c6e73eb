"""WHERE, and what the queries in it say of a row."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.logical.node import Node, OneInput
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Filter(OneInput):
    """The rows that hold a condition."""

    condition: ast.Expression


@dataclass(frozen=True, eq=False)
class Subquery(OneInput):
    """Rows, each with what a `query` in the condition above says of it: `IN (SELECT …)`, `EXISTS (SELECT …)`."""

    query: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input, self.query)
