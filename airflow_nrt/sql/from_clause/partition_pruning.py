"""The partitions that a SELECT reads of the table in its FROM."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.model.asked_partitions import PartitionFilter
from airflow_nrt.model.tables import Table
from airflow_nrt.model.value_places import in_partition
from airflow_nrt.sql.ddl.ddl import scope_columns
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import children, conjuncts, unqualified

_COMPARING = (ast.Name, ast.Literal, ast.Unary, ast.Binary, ast.Between, ast.In, ast.Is, ast.Like, ast.Cast)
"""Expressions that have one value for all rows of a partition, at any time."""


def partition_filter(table: Table, title: str, where: ast.Expression | None) -> PartitionFilter | None:
    """The conditions of a WHERE that read only partition columns of a table, whose name in the query is `title`.

    None if there are none. Also None for a table whose rows replace one another: the newest row of a key may be in any
    partition.
    """
    if where is None or table.primary_key or table.is_changelog:
        return None
    parts = [part for part in conjuncts(unqualified(where, title)) if _looks_at(part, table.partition_keys)]
    if not parts:
        return None
    compiler = Compiler(Scope(scope_columns(table), title), place=lambda: in_partition(table.partition_keys))
    return PartitionFilter(
        " AND ".join(f"({compiler.condition(part, 'WHERE').sql})" for part in parts),
        " AND ".join(text_of(part) for part in parts),
    )


def _looks_at(node: ast.Expression, keys: tuple[str, ...]) -> bool:
    parts = list(_parts(node))
    names = [part.parts for part in parts if isinstance(part, ast.Name)]
    return bool(names) and {*names} <= {(key,) for key in keys} and all(map(_is_plain, parts))


def _is_plain(node: ast.Expression) -> bool:
    return isinstance(node, _COMPARING) and not (isinstance(node, ast.In) and node.query is not None)


def _parts(node: ast.Expression) -> Iterator[ast.Expression]:
    yield node
    for child in children(node):
        yield from _parts(child)
