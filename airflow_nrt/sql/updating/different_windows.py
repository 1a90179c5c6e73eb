"""A UNION ALL of rows of different windows, or of windows and none, below another query: its rows have no windows."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.from_clause.unions import union_all
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import has_over
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation, as_changes
from airflow_nrt.sql.updating.sliding import sliding_of
from airflow_nrt.sql.updating.updating import unwindowed


def as_one(findings: Findings, relations: Sequence[Relation]) -> Relation:
    """One relation of those that `united` returns.

    If some of them change or have no window, all become rows that change. Only so can new rows of a batch, results that
    fire and retractions be in one relation.
    """
    if len(relations) == 1:
        return relations[0]
    rows = [unwindowed(findings, relation) for relation in relations]
    if any(relation.is_changing or relation.window is None for relation in relations):
        rows = [one if one.is_changing else as_changes(one) for one in rows]
    return union_all(rows)


def keeps_apart(node: ast.Select) -> bool:
    """Whether a SELECT computes each of its rows from one row, so that each relation can be planned by itself."""
    combines = node.group is not None or node.distinct or contains_aggregate(node)
    ranks = any(has_over(item.expression) for item in node.items)
    return not combines and not ranks and sliding_of(node.where) is None
