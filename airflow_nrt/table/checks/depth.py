"""How deep expressions may nest: a loop in a program can build a depth that nobody would write."""

from __future__ import annotations

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children
from airflow_nrt.table.checks.call_site import here

DEEPEST = 80
"""In a fresh JVM, the stack of Spark's parser is full at 120 additions; that of Python at 300."""


def check_depth(node: ast.Expression) -> None:
    """Raises SqlError for too many nested operations."""
    depth, level = 1, {id(node): node}
    while level:
        if depth > DEEPEST:
            raise SqlError(
                f"this expression has more than {DEEPEST} operations one inside another: compute a part of it in a "
                "column of its own, by add_columns, or combine halves, (a + b) + (c + d)",
                here(),
            )
        depth, level = depth + 1, {id(part): part for above in level.values() for part in children(above)}
