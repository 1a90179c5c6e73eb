"""Checks of names where nothing else can be checked: in a SELECT whose FROM or GROUP BY is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children


class PartlyPlanned(SqlErrors):
    """A FROM is wrong, but its columns are known, with their alias if there is one."""

    def __init__(self, problems: Sequence[SqlError], columns: Sequence[ScopeColumn], alias: str | None = None) -> None:
        super().__init__(problems)
        self.scope = Scope(columns, alias)


def unknown_names(scope: Scope, nodes: Iterable[ast.Expression]) -> Iterator[SqlError]:
    """The errors of all names in these expressions that the scope does not know."""
    for node in nodes:
        if isinstance(node, ast.Name):
            if not scope.has(node):
                try:
                    scope.find(node)
                except SqlError as wrong:
                    yield wrong
        else:
            yield from unknown_names(scope, children(node))


def expressions_of(node: ast.Select) -> Iterator[ast.Expression]:
    """The expressions of a SELECT, without its ORDER BY."""
    yield from (item.expression for item in node.items)
    yield from (key for group in node.group or () for keys in group.sets for key in keys)
    yield from (one for one in (node.where, node.having) if one is not None)
