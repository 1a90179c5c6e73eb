"""The clauses of a query as nodes: the nodes that each reads, and the operators of the plan that keep its state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Node:
    """One clause as the report writes it. Planning adds the `operators` where it makes them.

    Two nodes are equal only if they are one object, because a report may write the same clause twice.
    """

    operators: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that it reads."""
        return ()

    @property
    def held(self) -> tuple[ast.Expression, ...]:
        """The conditions of the WHERE above that hold for all of its rows already."""
        return ()

    @property
    def windowing(self) -> str | None:
        """The windows that its rows are in, as the report calls them."""
        return self.inputs[0].windowing if self.inputs else None


@dataclass(frozen=True, eq=False)
class OneInput(Node):
    """A clause that reads the rows of one node."""

    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)


@dataclass(frozen=True, eq=False)
class Selected(OneInput):
    """A SELECT without its WHERE, which is the `Filter` below."""

    does: ClassVar[str]
    """The kind of its step."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Its clauses, under stable names."""
        return ()
