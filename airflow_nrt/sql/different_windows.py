"""A UNION ALL of different windows below another query: mere rows, whose windows do not matter any more."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.sql import ast
from airflow_nrt.sql.aggregates import contains_aggregate
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.findings import Findings
from airflow_nrt.sql.ranking import has_over
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.sliding import sliding_of
from airflow_nrt.sql.unions import union_all
from airflow_nrt.sql.updating import unwindowed


def as_one(found: Findings, relations: Sequence[Relation], at: Place) -> Relation:
    """The rows of several relations, as `united` gives them, in one. Raises NotThereYet for what comes differently."""
    if len(relations) == 1:
        return relations[0]
    if any(relation.is_changing or relation.window is None for relation in relations):
        # A query reads rows of one batch, of windows that fire, or what a batch changes.
        raise NotThereYet(
            "UNION ALL of rows that change, or rows of windows, with others, inside another query",
            at,
            "combine them at the top of an INSERT",
        )
    return union_all([unwindowed(found, relation) for relation in relations])


def keeps_apart(node: ast.Select) -> bool:
    """Whether a SELECT looks at each row by itself, so that it can be done to each of several relations."""
    combines = node.group is not None or node.distinct or contains_aggregate(node)
    ranks = any(has_over(item.expression) for item in node.items)
    return not combines and not ranks and sliding_of(node.where) is None
