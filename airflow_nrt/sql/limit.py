"""LIMIT n: the first n rows of all so far by their ORDER BY, or as they came; a Top-N without a partition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from airflow_nrt.sql import ast
from airflow_nrt.sql.around import Around
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.findings import Findings
from airflow_nrt.sql.ordering import sortable
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.updating_rows import plan_ranking

_PLACE = "ORDER$PLACE"
_EQUAL = ast.OrderItem(ast.Literal("boolean", "TRUE", Place(1, 1, 0)), False, None)
"""Where all are equal rows stand as they came."""


def plan_limit(
    found: Findings, node: ast.Select | ast.SetOperation, plan: Callable[[ast.Query], Relation]
) -> tuple[Relation, ast.Select]:
    """The numbered rows of a query with LIMIT, and the SELECT around them. `plan` plans the rest of it."""
    if not isinstance(node.limit, ast.Literal):
        raise NotThereYet("LIMIT of anything but a number", node.at)
    query, order = sortable(replace(node, limit=None))
    relation = plan(query)
    by = tuple(replace(item, expression=ast.Name((name,), node.at)) for name, item in order) or (_EQUAL,)
    number = ast.Call("ROW_NUMBER", (), node.at, over=ast.Over((), by, None, None, node.at))
    columns = tuple(ast.SelectItem(ast.Name((name,), node.at), None) for name in relation.names)
    helpers = {name for name, _ in order if name.startswith("ORDER$")}
    shown = tuple(item for item, name in zip(columns, relation.names) if name not in helpers)
    within = ast.Binary("<=", ast.Name((_PLACE,), node.at), node.limit, node.at)
    around = ast.Select(shown, None, node.at, where=within)
    numbered = ast.Select((*columns, ast.SelectItem(number, _PLACE)), None, node.at)
    return plan_ranking(found, numbered, relation, None, Around(around)), around
