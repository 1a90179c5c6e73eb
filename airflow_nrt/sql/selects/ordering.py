"""ORDER BY without LIMIT: the columns that rows are sorted by. Some are added for this, and not written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airflow_nrt.model.internal_columns import SORTED_BY
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.relation import Relation

Order = Sequence[tuple["str | int", ast.OrderItem]]
"""The items of ORDER BY, each with the column of the result that has its value: its name, or its position from 1."""
Named = tuple[str, ast.OrderItem]
"""An item of ORDER BY with the name of its column."""
_HELPER = "ORDER${}"


def sortable(query: ast.Query) -> tuple[ast.Query, Order]:
    """The query without its ORDER BY, with one more column for each item that it does not select."""
    if isinstance(query, ast.Values) or not query.order or query.limit is not None or query.offset is not None:
        return query, []
    items = query.items if isinstance(query, ast.Select) else ()
    shown = {item.alias or _column(item.expression) for item in items}
    order: list[tuple[str | int, ast.OrderItem]] = []
    helpers = []
    for n, item in enumerate(query.order):
        if (position := _position(item.expression)) is not None:
            order.append((position, item))
            continue
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


def named(order: Order, names: Sequence[str]) -> list[Named]:
    """The order by the names of the result's columns. Raises SqlError at a position that the result does not have."""
    shown = [name for name in names if not is_helper(name)]
    for column, item in order:
        if isinstance(column, int) and not 1 <= column <= len(shown):
            raise SqlError(
                f"ORDER BY {column} means column {column} of the query, which has {len(shown)}: write 1 to "
                f"{len(shown)}, or a name",
                item.expression.at,
            )
    return [(shown[column - 1] if isinstance(column, int) else column, item) for column, item in order]


def named_of(relations: Sequence[Relation], order: Order, at: Place) -> list[Named]:
    """The order by the names of a query's columns. Raises NotThereYet if the query has several relations."""
    if order and len(relations) > 1:
        raise NotThereYet("ORDER BY of a UNION ALL of different windows", at)
    return named(order, relations[0].names)


def is_helper(name: str) -> bool:
    """Whether a column was added to sort by it."""
    return name.startswith("ORDER$")


def unsorted(select: ast.Select) -> ast.Select:
    """The SELECT as the report has it, without the items that were added to sort by."""
    return replace(select, items=tuple(item for item in select.items if not is_helper(item.alias or "")))


def shown(relation: Relation) -> Relation:
    """The relation without the columns that were added to sort by."""
    return replace(relation, columns=tuple(column for column in relation.columns if not is_helper(column.name)))


def order_sql(n: int, item: ast.OrderItem) -> str:
    """SQL of one item of ORDER BY, whose value is in column `_nrt_order_<n>`. NULL is the least value, as in Flink."""
    nulls_first = item.nulls_first if item.nulls_first is not None else not item.descending
    return f"{SORTED_BY}{n} {'DESC' if item.descending else 'ASC'} NULLS {'FIRST' if nulls_first else 'LAST'}"


def _position(node: ast.Expression) -> int | None:
    return node.whole if isinstance(node, ast.Literal) else None


def _column(node: ast.Expression) -> str | None:
    return node.parts[-1] if isinstance(node, ast.Name) else None
