"""ORDER BY of a query that is asked once: its rows are sorted when all of them are there."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.report.plan import Insert
from airflow_nrt.report.spelling import quote
from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import NotThereYet, Place

Order = list[tuple[str, ast.OrderItem]]
"""What the rows are sorted by, each with the column of the result that holds it."""
_HELPER = "ORDER${}"


def sortable(query: ast.Query) -> tuple[ast.Query, Order]:
    """The query without its ORDER BY, with a column behind its own for each item that it does not select."""
    if isinstance(query, ast.Values) or not query.order or query.limit is not None or query.offset is not None:
        return query, []
    items = query.items if isinstance(query, ast.Select) else ()
    shown = {item.alias or _column(item.expression) for item in items}
    order: Order = []
    helpers = []
    for n, item in enumerate(query.order):
        name = _column(item.expression)
        if name is None or (name not in shown and isinstance(query, ast.Select)):
            if not isinstance(query, ast.Select) or query.distinct or isinstance(item.expression, ast.Literal):
                raise NotThereYet("ORDER BY of what is not selected", query.at)
            name = _HELPER.format(n + 1)
            helpers.append(ast.SelectItem(item.expression, name))
        order.append((name, item))
    if isinstance(query, ast.Select):
        return replace(query, items=(*items, *helpers), order=()), order
    return replace(query, order=()), order


def sorted_result(insert: Insert, order: Order, at: Place) -> Insert:
    """The insert with the order of its rows, and without the columns that are there for nothing else."""
    if insert.changes:
        raise NotThereYet("ORDER BY of rows that change", at)
    helpers = {_HELPER.format(n + 1) for n in range(len(order))}
    fields = tuple(field for field in insert.query.fields if field.name not in helpers)
    return replace(insert, query=replace(insert.query, fields=fields), order=tuple(_sql(*one) for one in order))


def _column(node: ast.Expression) -> str | None:
    return node.parts[-1] if isinstance(node, ast.Name) else None


def _sql(name: str, item: ast.OrderItem) -> str:
    """NULL is the least value, as in Flink."""
    nulls_first = item.nulls_first if item.nulls_first is not None else not item.descending
    return f"{quote(name)} {'DESC' if item.descending else 'ASC'} NULLS {'FIRST' if nulls_first else 'LAST'}"
