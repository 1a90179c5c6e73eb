"""A SELECT of groups: GROUP BY, aggregates of all rows, DISTINCT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.items import texts_of
from airflow_nrt.sql.logical.node import Selected
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of


@dataclass(frozen=True, eq=False)
class Aggregate(Selected):
    """A row for each group that HAVING lets pass. Without `groups` there is one row."""

    groups: tuple[ast.Grouping, ...]
    items: tuple[ast.SelectItem, ...]
    having: ast.Expression | None
    does: ClassVar[str] = "aggregate"

    @property
    def facts(self) -> tuple[Fact, ...]:
        groups = tuple(map(_text_of_group, self.groups))
        gives = texts_of(item for item in self.items if not isinstance(item.expression, ast.Name))
        facts: tuple[Fact, ...] = (("group_by", groups),) if groups else ()
        facts += (("gives", gives),) if gives else ()
        return (*facts, ("having", text_of(self.having))) if self.having is not None else facts


@dataclass(frozen=True, eq=False)
class Distinct(Selected):
    """Each row once."""

    items: tuple[ast.SelectItem, ...]
    does: ClassVar[str] = "distinct"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("group_by", texts_of(self.items)),)


def _text_of_group(group: ast.Grouping) -> str:
    if group.kind == "key":
        return text_of(group.sets[0][0])
    sets = ", ".join(f"({', '.join(map(text_of, keys))})" for keys in group.sets)
    return f"{group.kind} ({sets})"
