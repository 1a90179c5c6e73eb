"""The names that PyFlink gives to columns without an alias."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children
from airflow_nrt.table.expressions.expression import WINDOW_PROPERTIES


def items_of(
    selected: Iterable[tuple[ast.Expression, tuple[str, ...]]], before: int = 0, width: int = 1
) -> tuple[ast.SelectItem, ...]:
    """The selected items, each with its alias; `before` columns come first, `*` is `width` columns.

    A window property or aggregate by itself is `EXPR$i`: the i-th of the select, where equal ones count once. Any other
    expression is `_c` and its position, a cast of a column `column-TYPE`.
    """
    chosen = list(selected)
    numbers: list[ast.Expression] = []
    for node, _ in chosen:
        numbers += [part for part in _computed(node) if part not in numbers]
    items, position = [], before
    for node, names in chosen:
        is_plain = isinstance(node, (ast.Name, ast.Star))
        name = names[0] if names else None if is_plain else _cast_name(node)
        if name is None and not is_plain:
            name = f"EXPR${numbers.index(node)}" if node in numbers else f"_c{position}"
        items.append(ast.SelectItem(node, name))
        position += width if isinstance(node, ast.Star) else 1
    return tuple(items)


def _computed(node: ast.Expression) -> Iterator[ast.Expression]:
    """The aggregates and window properties in an expression, outermost ones."""
    from airflow_nrt.sql.expressions.aggregates import is_aggregate

    if is_aggregate(node) or (
        isinstance(node, ast.Call) and node.name[1:] in WINDOW_PROPERTIES and node.name[0] == "."
    ):
        yield node
        return
    for child in children(node):
        yield from _computed(child)


def _cast_name(node: ast.Expression) -> str | None:
    if not isinstance(node, ast.Cast):
        return None
    inner = node.operand.parts[-1] if isinstance(node.operand, ast.Name) else _cast_name(node.operand)
    return f"{inner}-{node.type.flink}" if inner is not None else None
