"""SELECT DISTINCT, rewritten as a GROUP BY of all selected columns."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.projection import expand


def above_all(node: ast.Select) -> ast.Select:
    """A SELECT DISTINCT of groups as one over a query of the groups. Any other SELECT is unchanged."""
    if not node.distinct or (node.group is None and not contains_aggregate(node)):
        return node
    at = node.items[0].expression.at
    groups = ast.Derived(replace(node, distinct=False, order=(), limit=None, offset=None, ctes=()), node.at)
    every = (ast.SelectItem(ast.Star(None, at), None),)
    outside = ast.Select(every, groups, at, distinct=True, order=node.order, ctes=node.ctes)
    return replace(outside, limit=node.limit, offset=node.offset)


def as_grouping(node: ast.Select, relation: Relation, alias: str | None) -> ast.Select:
    """A SELECT DISTINCT of rows as a GROUP BY of all its items."""
    items = tuple(expand(node.items, relation, alias))
    keys = tuple(ast.Grouping("key", ((item.expression,),), node.at) for item in items)
    return replace(node, distinct=False, items=items, group=keys)
