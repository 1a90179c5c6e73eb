"""Windows that count rows: their results are those of row windows at every n-th row of a key.

Tumble of 4:   . . . A . . . B . . .     A and B look at the 4 rows up to themselves
Slide 4 / 2:   . . . A . B . C . D .     an incomplete window gives nothing
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.aggregates import is_aggregate
from airflow_nrt.sql.expressions.known_functions import calling
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import rewritten
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import WINDOW_PROPERTIES, Expression
from airflow_nrt.table.expressions.expressions import col
from airflow_nrt.table.tables.rows import R, another
from airflow_nrt.table.windows.windows import GroupWindow

_NUMBER = "row$number"


def select_counted(table: R, window: GroupWindow, keys: tuple[Expression, ...], items: tuple[ast.SelectItem, ...]) -> R:
    """The select over each full window. `items` read keys and aggregates."""
    counts = window.rows
    assert counts is not None
    slide, size = counts if len(counts) > 1 else counts * 2
    partition = tuple(key.node for key in keys)
    below = {key.node: key.names[0] if key.names else _name(key.node, n) for n, key in enumerate(keys)}

    def column(part: Any) -> ast.Name | None:
        """The column of the rows below for a key or an aggregate."""
        if isinstance(part, ast.Call) and part.name[1:] in WINDOW_PROPERTIES and part.name[0] == ".":
            raise SqlError(f"a window of {size} rows has no {part.name[1:]}: take it of the rows' times", part.at)
        if part in below:
            return ast.Name((below[part],), part.at)
        if isinstance(part, ast.Call) and is_aggregate(part):
            call = replace(part, over=_over(partition, window, str(size - 1)))
            return ast.Name((computed.setdefault(call, f"row$value{len(computed)}"),), part.at)
        return None

    computed: dict[ast.Expression, str] = {}
    with calling(table.environment.planner().functions):
        above = tuple(replace(item, expression=rewritten(item.expression, column)) for item in items)
    number = ast.Call("COUNT", (ast.Star(None, window.at),), window.at, over=_over(partition, window, None))
    columns = {**below, **computed, number: _NUMBER}
    relation, where = table.rows()
    rows = ast.Select(
        tuple(ast.SelectItem(node, name) for node, name in columns.items()), relation, window.at, where=where
    )
    row = col(_NUMBER)
    full = ((row - size) % slide == 0) & (row >= size)
    return another(table, ast.Select(above, ast.Derived(rows, window.at), here(), where=full.node))


def _over(partition: tuple[ast.Expression, ...], window: GroupWindow, before: str | None) -> ast.Over:
    """The rows of a key, by time, from this number before the current one; None: from the first."""
    at = window.at
    low = ast.Bound(ast.Literal("number", before, at) if before is not None else None, False)
    frame = ast.Frame("ROWS", low, ast.Bound(ast.Literal("number", "0", at), True), "", at)
    return ast.Over(partition, (ast.OrderItem(window.time, False, None),), frame, None, at)


def _name(key: ast.Expression, position: int) -> str:
    return key.parts[-1] if isinstance(key, ast.Name) else f"row$key{position}"
