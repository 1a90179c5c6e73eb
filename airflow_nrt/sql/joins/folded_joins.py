"""`FROM a, b WHERE a.k = b.k` is `a JOIN b ON a.k = b.k`: conditions of WHERE on both sides become conditions of ON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, conjuncts
from airflow_nrt.sql.relations.join_sides import Named, side_columns


def folded(node: ast.Join, left: Named, right: Named, where: ast.Expression | None) -> ast.Join:
    """An inner or cross join as an inner one, with the conditions of the WHERE above that compare both sides.

    They also stay in WHERE, where they are true of all joined rows.
    """
    if node.kind not in ("INNER", "CROSS") or (node.kind == "INNER" and node.condition is None):
        return node
    sides = [Scope(side_columns(*side)) for side in (left, right)]
    linking = [] if where is None else [part for part in conjuncts(where) if _links(part, sides)]
    condition = node.condition
    for part in linking:
        condition = part if condition is None else ast.Binary("AND", condition, part, part.at)
    return replace(node, kind="INNER", condition=condition or ast.Literal("boolean", "TRUE", node.at))


def _links(part: ast.Expression, sides: list[Scope]) -> bool:
    """Whether it compares columns of both sides with each other, and nothing else."""
    names = list(_names(part))
    if None in names:
        return False
    owners = [[side.has(name) for side in sides] for name in names if name is not None]
    # A name that both sides have is ambiguous, or a common column.
    return all(sum(one) == 1 for one in owners) and all(any(one[n] for one in owners) for n in (0, 1))


def _names(node: ast.Expression) -> Iterator[ast.Name | None]:
    """The columns that a condition reads. None for a subquery, whose columns are not known yet."""
    if isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.Exists) or (isinstance(node, ast.In) and node.query is not None):
        yield None
    for child in children(node):
        yield from _names(child)
