"""The list of a SELECT in the report's words."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import over_text, text_of


def computed(items: Iterable[ast.SelectItem]) -> tuple[ast.SelectItem, ...]:
    """The items that are neither a column nor a star."""
    return tuple(item for item in items if not isinstance(item.expression, (ast.Name, ast.Star)))


def texts_of(items: Iterable[ast.SelectItem]) -> tuple[str, ...]:
    return tuple(map(text_of_item, items))


def text_of_item(item: ast.SelectItem) -> str:
    text = over_text(item.expression) if isinstance(item.expression, ast.Call) else text_of(item.expression)
    return f"{text} AS {item.alias}" if item.alias else text
