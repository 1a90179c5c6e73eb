"""Windowing functions, and rows that are kept until their windows are complete."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.model.windows import Window as Windows
from airflow_nrt.sql.logical.node import OneInput
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of


@dataclass(frozen=True, eq=False)
class Window(OneInput):
    """A windowing function: rows with their windows, by a time column. SESSION may have a partition."""

    windows: Windows
    time: ast.Name
    partition: tuple[ast.Name, ...]
    alias: str | None

    @property
    def held(self) -> tuple[ast.Expression, ...]:
        return self.input.held

    @property
    def windowing(self) -> str | None:
        by = f", sessions by {', '.join(map(text_of, self.partition))}" if self.partition else ""
        return f"{self.windows} over {text_of(self.time)}{by}"


@dataclass(frozen=True, eq=False)
class Buffer(OneInput):
    """Rows that are kept until their windows are complete."""


@dataclass(frozen=True, eq=False)
class Sessions(OneInput):
    """Rows that change, each in its current session. These sessions are never complete."""

    @property
    def windowing(self) -> str | None:
        return None
