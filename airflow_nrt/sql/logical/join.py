"""Joins of two relations, and of rows with what an expression makes of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.node import Node, OneInput
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of


@dataclass(frozen=True, eq=False)
class Join(Node):
    """The pairs of two sides; `in_window` are those of one window alone."""

    left: Node
    right: Node
    written: ast.Join
    in_window: bool = False

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.left, self.right

    @property
    def windowing(self) -> str | None:
        return self.left.windowing if self.in_window else None

    @property
    def does(self) -> str:
        return "window join" if self.in_window else "join"

    @property
    def facts(self) -> tuple[Fact, ...]:
        join = self.written
        found: list[Fact] = [("kind", join.kind)]
        if join.condition is not None:
            found.append(("on", text_of(join.condition)))
        if join.using or join.natural:
            found.append(("using", join.using or "all columns of one name"))
        if self.windowing is not None:
            found.append(("in", f"the same window, {self.windowing}"))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Lateral(OneInput):
    """LATERAL TABLE and UNNEST: each row with each of those that an expression gives for it."""

    kind: str
    expression: ast.Expression
    does: ClassVar[str] = "lateral"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("call", f"{self.kind} {text_of(self.expression)}"),)
