"""A SELECT as nodes over those of its FROM: its WHERE, and its list with GROUP BY and OVER."""

from __future__ import annotations

from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.logical.aggregate import Aggregate, Distinct
from airflow_nrt.sql.logical.filter import Filter
from airflow_nrt.sql.logical.node import Node, Selected
from airflow_nrt.sql.logical.over import Over
from airflow_nrt.sql.logical.project import Project
from airflow_nrt.sql.logical.rank import RANKINGS, Rank
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import has_over


def selected(select: ast.Select, rows: Node, operators: tuple[str, ...] = ()) -> Selected:
    """The node of a SELECT as the report writes it. `operators` keep its state."""
    if select.where is not None:
        rows = Filter(rows, select.where)
    groups, items = select.group, select.items
    if select.distinct:
        return Distinct(rows, items, operators=operators)
    if groups is not None or contains_aggregate(select):
        return Aggregate(rows, groups or (), items, select.having, operators=operators)
    calls = tuple(item for item in items if has_over(item.expression))
    others = tuple(item for item in items if item not in calls)
    if not calls:
        return Project(rows, items, operators=operators)
    (first, *more) = calls
    match first.expression:
        case ast.Call(name=name, over=ast.Over() as over) as call if name in RANKINGS and not more:
            return Rank(rows, first, call, over, others, operators=operators)
    return Over(rows, calls, others, operators=operators)
