"""OVER: each row with aggregates of the rows around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.items import computed, texts_of
from airflow_nrt.sql.logical.node import OneInput, Selected
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Framed(OneInput):
    """Rows that are kept for the frames of OVER. The `Over` above computes the aggregates."""


@dataclass(frozen=True, eq=False)
class Over(Selected):
    """A SELECT with OVER. `calls` are the items with OVER. A single ranking is a `Rank`, several are calls here."""

    calls: tuple[ast.SelectItem, ...]
    others: tuple[ast.SelectItem, ...]
    does: ClassVar[str] = "over"

    @property
    def facts(self) -> tuple[Fact, ...]:
        gives = texts_of(computed(self.others))
        return (*((("gives", gives),) if gives else ()), ("over", texts_of(self.calls)))
