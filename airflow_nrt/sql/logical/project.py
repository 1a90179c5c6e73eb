"""A SELECT that computes each of its rows from one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.model.steps import Fact
from airflow_nrt.sql.logical.items import computed, texts_of
from airflow_nrt.sql.logical.node import Selected
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True, eq=False)
class Project(Selected):
    """Columns of each row, and expressions over them."""

    items: tuple[ast.SelectItem, ...]
    does: ClassVar[str] = "select"

    @property
    def facts(self) -> tuple[Fact, ...]:
        gives = texts_of(computed(self.items))
        return (("gives", gives),) if gives else ()
