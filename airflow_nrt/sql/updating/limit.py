"""LIMIT n OFFSET m: of all rows so far, n after the first m, by ORDER BY or by arrival. It is a Top-N of all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.ordering import is_helper, named, sortable
from airflow_nrt.sql.updating.updating_rows import plan_ranking

_POSITION = "ORDER$PLACE"
EQUAL = ast.OrderItem(ast.Literal("boolean", "TRUE", Place(1, 1, 0)), False, None)
"""An order in which all rows are equal, so that they are numbered as they arrived."""


def plan_limit(
    findings: Findings, node: ast.Select | ast.SetOperation, plan: Callable[[ast.Query], Relation]
) -> tuple[Relation, ast.Select]:
    """The numbered rows of a query with LIMIT or OFFSET, and the SELECT over them. `plan` plans the query itself."""
    within = _within(node)
    query, order = sortable(replace(node, limit=None, offset=None))
    relation = plan(query)
    sorted_by = named(order, relation.names)
    by = tuple(replace(item, expression=ast.Name((name,), node.at)) for name, item in sorted_by) or (EQUAL,)
    number = ast.Call("ROW_NUMBER", (), node.at, over=ast.Over((), by, None, None, node.at))
    columns = tuple(ast.SelectItem(ast.Name((name,), node.at), None) for name in relation.names)
    shown = tuple(item for item, name in zip(columns, relation.names) if not is_helper(name))
    limited = ast.Select(shown, None, node.at, where=within)
    numbered = ast.Select((*columns, ast.SelectItem(number, _POSITION)), None, node.at)
    return plan_ranking(findings, numbered, relation, None, Demand(limited)), limited


def _within(node: ast.Select | ast.SetOperation) -> ast.Expression:
    """The condition on the number of a row."""
    counts = []
    for count, word in ((node.offset, "OFFSET"), (node.limit, "LIMIT")):
        if count is not None and not (isinstance(count, ast.Literal) and count.text.isdigit()):
            raise NotThereYet(f"{word} of anything but a number", node.at)
        counts.append(int(count.text) if isinstance(count, ast.Literal) else None)
    skipped, wanted = counts
    first = None if skipped is None else _compared(">", skipped, node.at)
    if wanted is None:
        assert first is not None
        return first
    last = _compared("<=", (skipped or 0) + wanted, node.at)
    return last if first is None else ast.Binary("AND", first, last, node.at)


def _compared(operator: str, count: int, at: Place) -> ast.Expression:
    return ast.Binary(operator, ast.Name((_POSITION,), at), ast.Literal("number", str(count), at), at)
