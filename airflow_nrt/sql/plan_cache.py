"""Plans of queries whose columns a program has asked for. A query over one of them is planned from there.

A program asks for the columns of each of its tables, and each table is a query over the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import has_over
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation


@dataclass(frozen=True)
class CachedPlan:
    """The `relations` of a query, and the sources and operators that these read (`findings`)."""

    query: ast.Query
    relations: tuple[Relation, ...]
    findings: Findings


class PlanCache:
    """The plans of queries that are planned alike wherever they are read. It is cleared by the next statement."""

    def __init__(self) -> None:
        self._plans: dict[int, CachedPlan] = {}

    def add(self, plan: CachedPlan) -> None:
        """Keeps the plan. A query with OVER is left out: its plan depends on the query that reads it."""
        items = plan.query.items if isinstance(plan.query, ast.Select) else ()
        if not any(has_over(item.expression) for item in items):
            self._plans[id(plan.query)] = plan

    def find(self, query: ast.Query) -> CachedPlan | None:
        return self._plans.get(id(query))

    def below(self, query: ast.Query) -> CachedPlan | None:
        """The plan of the first query that this one reads."""
        match query:
            case ast.Select(relation=ast.Derived(inner)) | ast.SetOperation(left=inner):
                return self.find(inner)
        return None

    def clear(self) -> None:
        self._plans.clear()
