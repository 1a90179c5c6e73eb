"""What objects of a program mean in SQL: an expression, or a query."""

from __future__ import annotations

from airflow_nrt.sql.parse import ast


class MeansExpression:
    """`node` is what it means, `names` what its column or, of a table function, its columns are called."""

    def __init__(self, node: ast.Expression, names: tuple[str, ...] = ()) -> None:
        self.node = node
        self.names = names


class MeansQuery:
    """`query` is what it means."""

    query: ast.Query
