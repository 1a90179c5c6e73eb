"""`FROM a, b WHERE a.k = b.k` is `a JOIN b ON a.k = b.k`: what WHERE asks of both sides belongs to the join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, conjuncts
from airflow_nrt.sql.relations.join_sides import Named, side_columns


def folded(node: ast.Join, left: Named, right: Named, where: ast.Expression | None) -> ast.Join:
    """An inner or cross join as an inner one, with the conditions of the WHERE around it that read both sides.

    They stay in WHERE, too, where they are true of all that has met.
    """
    if node.kind not in ("INNER", "CROSS") or (node.kind == "INNER" and node.condition is None):
        return node
    sides = [Scope(side_columns(*side)) for side in (left, right)]
    asked = [] if where is None else [part for part in conjuncts(where) if _links(part, sides)]
    condition = node.condition
    for part in asked:
        condition = part if condition is None else ast.Binary("AND", condition, part, part.at)
    return replace(node, kind="INNER", condition=condition or ast.Literal("boolean", "TRUE", node.at))


def _links(part: ast.Expression, sides: list[Scope]) -> bool:
    """Whether it compares columns of both sides with each other, and nothing else."""
    names = list(_names(part))
    if None in names:
        return False
    found = [[side.has(name) for side in sides] for name in names if name is not None]
    # A name that both sides have is an error, or stands for both of them.
    return all(sum(one) == 1 for one in found) and all(any(one[n] for one in found) for n in (0, 1))


def _names(node: ast.Expression) -> Iterator[ast.Name | None]:
    """The columns that a condition reads, None for what can't be told before its time: queries, OVER, aggregates."""
    if isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.Exists) or (isinstance(node, ast.In) and node.query is not None):
        yield None
    for child in children(node):
        yield from _names(child)
