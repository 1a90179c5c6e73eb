"""Window columns beside columns of rows in one GROUP BY: `AVG(TIMESTAMPDIFF(SECOND, window_start, ts))`.

Expressions of window columns alone are computed once for each window. A row of TUMBLE has one window, and a row of
CUMULATE one window start, so that these columns are known with the row. Any other expression has another value in each
window of a row: then the rows are kept until their windows are complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from airflow_nrt.basics.types import BIGINT
from airflow_nrt.model.aggregates import AGGREGATES
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.kept_rows.kept_rows import finished_for
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, conjuncts, rewritten
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation


def known_with_row(relation: Relation, read: frozenset[str]) -> bool:
    """Whether a value that reads these columns is the same in all windows of a row."""
    roles = {role for name in read if (role := relation.column(name).role) is not None}
    return relation.pending is None or roles <= {*relation.pending.roles_of_row}


def in_each_window(findings: Findings, node: ast.Select, relation: Relation) -> tuple[ast.Select, Relation]:
    """A SELECT grouped by both window bounds, and its rows, which are kept until windows are complete if needed."""
    node = _once_a_window(node, relation)
    inside = [part for call in _aggregates(node) for part in (*call.arguments, call.filter) if part is not None]
    keys = [key for group in node.group or () for keys in group.sets for key in keys]
    parts = [*(conjuncts(node.where) if node.where is not None else ()), *keys]
    parts = [part for part in parts if not _is_of_windows(relation, part)]
    if all(known_with_row(relation, _read(relation, part)) for part in (*inside, *parts)):
        return node, relation
    return finished_for(findings, node, relation, None)


def _once_a_window(node: ast.Select, relation: Relation) -> ast.Select:
    """The SELECT without aggregates of window columns alone: MAX(window_end) is the end, a FILTER on it is a CASE."""

    def change(part: object) -> ast.Expression | None:
        if not isinstance(part, ast.Call) or not is_aggregate(part):
            return None
        known = AGGREGATES.get(part.name)
        if known is None:
            return part
        if part.filter is not None and _is_of_bounds(relation, part.filter):
            if known.of_no_rows is None:
                return part
            alone, nothing = replace(part, filter=None), ast.Literal("number", known.of_no_rows, part.at)
            default = None if known.of_no_rows == "NULL" else ast.Cast(nothing, known.result(BIGINT), True, part.at)
            return ast.Case(None, ((part.filter, alone),), default, part.at)
        is_one = part.filter is None and known.one_of_values and len(part.arguments) == 1
        return part.arguments[0] if is_one and _is_of_bounds(relation, part.arguments[0]) else part

    # A column without an alias keeps the name that the call had.
    items = tuple(
        replace(item, expression=changed, alias=item.alias or (f"EXPR${n}" if changed != item.expression else None))
        for n, item in enumerate(node.items)
        for changed in (rewritten(item.expression, change),)
    )
    return replace(node, items=items, having=rewritten(node.having, change))


def _is_of_bounds(relation: Relation, node: ast.Expression) -> bool:
    """Whether it reads only window bounds, which are keys of the query."""
    return _is_of_windows(relation, node) and "time" not in _roles(relation, node)


def _is_of_windows(relation: Relation, node: ast.Expression) -> bool:
    read = _read(relation, node)
    return bool(read) and all(relation.column(name).role is not None for name in read)


def _roles(relation: Relation, node: ast.Expression) -> set[str]:
    return {role for name in _read(relation, node) if (role := relation.column(name).role) is not None}


def _read(relation: Relation, node: ast.Expression) -> frozenset[str]:
    """The columns that an expression names."""
    scope = Scope(relation.columns)
    names = [part for part in _all(node) if isinstance(part, ast.Name) and scope.has(part)]
    return frozenset(scope.find(name).name for name in names)


def _aggregates(node: ast.Select) -> Iterator[ast.Call]:
    every = [item.expression for item in node.items] + ([node.having] if node.having is not None else [])
    for part in (part for expression in every for part in _all(expression)):
        if isinstance(part, ast.Call) and is_aggregate(part):
            yield part


def _all(node: ast.Expression) -> Iterator[ast.Expression]:
    yield node
    for child in children(node):
        yield from _all(child)
