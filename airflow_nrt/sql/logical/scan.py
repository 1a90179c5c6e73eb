"""What a query reads of a source: its rows as they arrive, or the table that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.node import Node, OneInput
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Scan(Node):
    """The rows of a source, as they arrive."""

    table: str
    alias: str | None = None

    @property
    def title(self) -> str:
        return f"{self.table} AS {self.alias}" if self.alias else self.table


@dataclass(frozen=True, eq=False)
class Recent(OneInput):
    """The rows for which a sliding condition of the WHERE above is true. They are removed as time passes."""

    condition: ast.Expression

    @property
    def held(self) -> tuple[ast.Expression, ...]:
        return (self.condition,)


@dataclass(frozen=True, eq=False)
class Table(OneInput):
    """The table that the rows of a source make."""

    @property
    def held(self) -> tuple[ast.Expression, ...]:
        return self.input.held


@dataclass(frozen=True, eq=False)
class Newest(Table):
    """The newest row of each key of a table."""

    keys: tuple[str, ...]
    does: ClassVar[str] = "newest rows"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("of_each", self.keys),)


@dataclass(frozen=True, eq=False)
class Changes(Table):
    """The rows that the changes of a changelog without a key make."""

    does: ClassVar[str] = "changes"
    facts: ClassVar[tuple[Fact, ...]] = ()
