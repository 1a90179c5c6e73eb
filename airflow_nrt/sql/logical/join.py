"""Joins of two relations, and of each row with the rows that an expression makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.node import Node, OneInput
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of


@dataclass(frozen=True, eq=False)
class Join(Node):
    """A join of two sides."""

    left: Node
    right: Node
    written: ast.Join
    does: ClassVar[str] = "join"

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.left, self.right

    @property
    def windowing(self) -> str | None:
        return None

    @property
    def facts(self) -> tuple[Fact, ...]:
        join = self.written
        facts: list[Fact] = [("kind", join.kind)]
        if join.condition is not None:
            facts.append(("on", text_of(join.condition)))
        if join.using or join.natural:
            facts.append(("using", join.using or "all columns of one name"))
        return tuple(facts)


@dataclass(frozen=True, eq=False)
class WindowJoin(Join):
    """A join of rows in the same window. Its sides hold the conditions of WHERE that read one side alone (`held`)."""

    held: tuple[ast.Expression, ...] = ()
    does: ClassVar[str] = "window join"

    @property
    def windowing(self) -> str | None:
        return self.left.windowing

    @property
    def facts(self) -> tuple[Fact, ...]:
        window: tuple[Fact, ...] = (("in", f"the same window, {self.windowing}"),) if self.windowing else ()
        return (*super().facts, *window)


@dataclass(frozen=True, eq=False)
class Lookup(Join):
    """A join of each row with a dimension table, as it is at the time that `as_of` names."""

    as_of: str
    does: ClassVar[str] = "lookup join"

    @property
    def windowing(self) -> str | None:
        return self.left.windowing

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (*super().facts, ("as_of", self.as_of))


@dataclass(frozen=True, eq=False)
class Temporal(Lookup):
    """A join of each row with the version of its key that is valid at the row's rowtime."""

    does: ClassVar[str] = "temporal join"


@dataclass(frozen=True, eq=False)
class Lateral(OneInput):
    """LATERAL TABLE and UNNEST: each row joined with the rows that an expression makes of it."""

    kind: str
    expression: ast.Expression
    does: ClassVar[str] = "lateral"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("call", f"{self.kind} {text_of(self.expression)}"),)
