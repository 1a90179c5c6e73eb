"""ORDER BY and LIMIT of a whole query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.node import OneInput
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import order_text, text_of


@dataclass(frozen=True, eq=False)
class Sort(OneInput):
    """All rows, sorted."""

    order: tuple[ast.OrderItem, ...]
    does: ClassVar[str] = "sort"

    @property
    def facts(self) -> tuple[Fact, ...]:
        return (("order_by", order_text(self.order)),)


@dataclass(frozen=True, eq=False)
class Limit(OneInput):
    """The first rows by `order`. Without an order, the first rows to arrive."""

    order: tuple[ast.OrderItem, ...]
    limit: ast.Expression | None
    offset: ast.Expression | None
    does: ClassVar[str] = "limit"

    @property
    def facts(self) -> tuple[Fact, ...]:
        order: tuple[Fact, ...] = (("order_by", order_text(self.order)),) if self.order else ()
        counts = (("limit", self.limit), ("offset", self.offset))
        return (*order, *((name, text_of(count)) for name, count in counts if count is not None))
