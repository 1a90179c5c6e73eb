"""ROW_NUMBER, RANK and DENSE_RANK, and the Top-N that a condition on one makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.items import computed, text_of_item, texts_of
from airflow_nrt.sql.logical.node import Selected
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import order_text, text_of

RANKINGS = ("ROW_NUMBER", "RANK", "DENSE_RANK")


@dataclass(frozen=True, eq=False)
class Rank(Selected):
    """Rows with their rank among those of one key. `ranked` is the item with the rank."""

    ranked: ast.SelectItem
    call: ast.Call
    over: ast.Over
    others: tuple[ast.SelectItem, ...]
    does: ClassVar[str] = "rank"

    @property
    def facts(self) -> tuple[Fact, ...]:
        gives = texts_of(computed(self.others))
        name = self.ranked.alias
        return (
            *((("gives", gives),) if gives else ()),
            ("rank", text_of_item(self.ranked)),
            ("partition_by", tuple(map(text_of, self.over.partition))),
            ("order_by", order_text(self.over.order)),
            *((("as", name),) if name else ()),
        )


@dataclass(frozen=True, eq=False)
class TopN(Selected):
    """The rows of a `Rank` for which the condition `keeps` is true: ranks up to a `limit`, if that is known."""

    rank: Rank
    keeps: ast.Expression
    limit: int | None
    does: ClassVar[str] = "top-n"

    @property
    def facts(self) -> tuple[Fact, ...]:
        limit: tuple[Fact, ...] = (("limit", self.limit),) if self.limit is not None else ()
        return (*self.rank.facts, ("keeps", text_of(self.keeps)), *limit)


class Deduplicate(TopN):
    """The first row of each key."""

    does: ClassVar[str] = "deduplicate"
