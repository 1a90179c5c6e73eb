"""What looks at groups, not at rows: `RANK() OVER (ORDER BY SUM(price) DESC)`, `HAVING SUM(price) > (SELECT …)`.

OVER and queries as values in a SELECT that groups are the same one level up, above a query of the groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from airflow_nrt.sql import ast
from airflow_nrt.sql.aggregates import is_aggregate
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.grouped_windows import is_auxiliary
from airflow_nrt.sql.grouping_sets import OF_SETS
from airflow_nrt.sql.ranking import has_over
from airflow_nrt.sql.scalar_subqueries import queries_in
from airflow_nrt.sql.unparse import text_of
from airflow_nrt.sql.walk import children, rewritten


def above_groups(node: ast.Select) -> ast.Select:
    """The SELECT as one over its groups, if it groups and has OVER or queries as values; else as it is."""
    compares = node.having is not None and any(queries_in(node.having))
    looks = compares or any(has_over(item.expression) or any(queries_in(item.expression)) for item in node.items)
    if not looks or not _groups(node):
        return node
    keys = [key for group in node.group or () for keys in group.sets for key in keys]
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
    inner = tuple(ast.SelectItem(expression, name) for expression, name in names.items())
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


def _groups(node: ast.Select) -> bool:
    expressions = [item.expression for item in node.items]
    if node.group is not None or node.having is not None:
        return True
    return any(is_aggregate(part) for one in expressions for part in _all(one))


def _is_key(part: Any, key: ast.Expression) -> bool:
    """Whether a part of an item is a key; one of both may have its table's name in front."""
    if isinstance(part, ast.Name) and isinstance(key, ast.Name):
        shorter = min(len(part.parts), len(key.parts))
        return part.parts[-shorter:] == key.parts[-shorter:]
    return bool(part == key)


def _all(node: ast.Expression) -> Iterator[ast.Expression]:
    """The parts of an expression, those inside OVER too."""
    yield node
    over = node.over if isinstance(node, ast.Call) else None
    inside = [*over.partition, *(item.expression for item in over.order)] if over is not None else []
    for child in (*children(node), *inside):
        yield from _all(child)
