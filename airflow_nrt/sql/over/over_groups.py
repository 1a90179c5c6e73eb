"""OVER and subqueries over groups: `RANK() OVER (ORDER BY SUM(price) DESC)`, `HAVING SUM(price) > (SELECT …)`.

A SELECT that groups and has OVER or queries as values is rewritten as a SELECT over a query of its groups. Expressions
inside its aggregates and keys read rows, and stay in the query of the groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from airflow_nrt.sql.aggregates.grouped_windows import is_auxiliary
from airflow_nrt.sql.aggregates.grouping_sets import OF_SETS
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.parse.walk import children, has_over, is_test, rewritten


def above_groups(node: ast.Select) -> ast.Select:
    """The SELECT as one over its groups, if it groups and has OVER or queries as values. Else it is unchanged."""
    if not _groups(node):
        return node
    keys = [key for group in node.group or () for keys in group.sets for key in keys]
    _check_no_over(node, keys)
    compares = node.having is not None and _needs_groups(node.having, keys, over=False)
    if not compares and not any(_needs_groups(item.expression, keys) for item in node.items):
        return node
    names: dict[ast.Expression, str] = {}

    def name_of(expression: ast.Expression, key: ast.Expression) -> ast.Name:
        if key not in names:
            own = key.parts[-1] if isinstance(key, ast.Name) else None
            names[key] = own if own is not None and own not in names.values() else f"EXPR$of{len(names)}"
        return ast.Name((names[key],), expression.at)

    def change(part: Any) -> Any:
        if is_aggregate(part) or is_auxiliary(part) or (isinstance(part, ast.Call) and part.name in OF_SETS):
            return name_of(part, part)
        key = next((key for key in keys if _is_key(part, key)), None)
        if isinstance(part, ast.Name) and key is None:
            raise SqlError(f"Expression '{text_of(part)}' is not being grouped: add it to GROUP BY", part.at)
        return name_of(part, key) if key is not None else None

    items = tuple(
        replace(
            item,
            expression=rewritten(item.expression, change),
            alias=item.alias or (item.expression.parts[-1] if isinstance(item.expression, ast.Name) else f"EXPR${n}"),
        )
        for n, item in enumerate(node.items)
    )
    windows = rewritten(node.windows, change)
    condition = rewritten(node.having, change) if compares else None
    having = None if compares else node.having
    # Without any, HAVING alone made it a group.
    named = names or {_count(node): "EXPR$of0"}
    inner = tuple(ast.SelectItem(expression, name) for expression, name in named.items())
    groups = ast.Select(inner, node.relation, node.at, where=node.where, group=node.group, having=having)
    return replace(
        node,
        items=items,
        relation=ast.Derived(groups, node.at),
        where=condition,
        group=None,
        having=None,
        windows=windows,
    )


def _count(node: ast.Select) -> ast.Expression:
    return ast.Call("COUNT", (ast.Star(None, node.at),), node.at)


def _groups(node: ast.Select) -> bool:
    expressions = [item.expression for item in node.items]
    if node.group is not None or node.having is not None:
        return True
    return any(is_aggregate(part) for one in expressions for part in _all(one))


def _needs_groups(node: ast.Expression, keys: list[ast.Expression], over: bool = True) -> bool:
    """Whether it has a query, or OVER, outside of aggregates and keys."""
    if is_aggregate(node) or any(_is_key(node, key) for key in keys):
        return False
    ranks = over and isinstance(node, ast.Call) and node.over is not None
    here = ranks or isinstance(node, ast.Scalar) or is_test(node)
    return here or any(_needs_groups(child, keys, over) for child in children(node))


def _check_no_over(node: ast.Select, keys: list[ast.Expression]) -> None:
    """Raises SqlError at OVER of rows inside an aggregate or a key. Flink, too, takes it only in a subquery."""
    having = [node.having] if node.having is not None else []
    for part in (part for one in [*(item.expression for item in node.items), *having] for part in _all(one)):
        if is_aggregate(part) and any(has_over(child) for child in children(part)):
            assert isinstance(part, ast.Call)
            raise SqlError(f"{part.name} can't take OVER inside: {_BELOW}", part.at)
    for key in keys:
        if has_over(key):
            raise SqlError(f"GROUP BY can't take OVER: {_BELOW}", key.at)


_BELOW = "select it in a subquery in FROM, and use its column here"


def _is_key(part: Any, key: ast.Expression) -> bool:
    """Whether a part of an item is a key. Either may be qualified by its table."""
    if isinstance(part, ast.Name) and isinstance(key, ast.Name):
        shorter = min(len(part.parts), len(key.parts))
        return part.parts[-shorter:] == key.parts[-shorter:]
    return bool(part == key)


def _all(node: ast.Expression) -> Iterator[ast.Expression]:
    """The parts of an expression, also those inside OVER."""
    yield node
    over = node.over if isinstance(node, ast.Call) else None
    inside = [*over.partition, *(item.expression for item in over.order)] if over is not None else []
    for child in (*children(node), *inside):
        yield from _all(child)
