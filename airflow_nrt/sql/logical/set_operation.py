"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class SetOperation(Node):
    """The rows of two queries as one."""

    left: Node
    right: Node
    written: ast.SetOperation

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.left, self.right

    @property
    def does(self) -> str:
        return f"{self.written.operator.lower()}{' all' if self.written.all else ''}"
