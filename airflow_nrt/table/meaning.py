"""The meaning of objects of a program in SQL: an expression, or a query."""

from __future__ import annotations

from airflow_nrt.sql.parse import ast


class MeansExpression:
    """`node` is its meaning, `names` are the names of its column or, for a table function, of its columns."""

    def __init__(self, node: ast.Expression, names: tuple[str, ...] = ()) -> None:
        self.node = node
        self.names = names


class MeansQuery:
    """`query` is its meaning."""

    query: ast.Query
