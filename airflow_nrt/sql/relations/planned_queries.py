"""A query is planned once for all readers with one demand: a view that a hundred others read, both sides of a join.

The relations of a query depend on the demand of its reader, because a column that nothing reads is not kept. So each
question that planning has asked of the demand is kept with its answer. A demand that answers all of them alike gets the
same relations. Their sources and operators are among the findings already.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from airflow_nrt.model.result_timing import OutputOptions
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.relation import Relation

T = TypeVar("T")
Question = Callable[[Demand], Any]


class RecordedDemand(Demand):
    """A demand that records each question with its answer."""

    def __init__(self, demand: Demand) -> None:
        object.__setattr__(self, "_demand", demand)
        object.__setattr__(self, "answers", {})

    answers: dict[Hashable, tuple[Question, Any]]
    _demand: Demand

    @property
    def select(self) -> ast.Select | None:
        return self._answer("select", lambda demand: demand.select)

    @property
    def in_windows(self) -> bool:
        return self._answer("in windows", lambda demand: demand.in_windows)

    @property
    def timed_by(self) -> str | None:
        return self._answer("timed by", lambda demand: demand.timed_by)

    def limit(self, column: str) -> int | None:
        return self._answer(("limit", column), lambda demand: demand.limit(column))

    def selects(self, column: str) -> bool:
        return self._answer(("selects", column), lambda demand: demand.selects(column))

    def reads(self, column: str, table: str | None = None) -> bool:
        return self._answer(("reads", column, table), lambda demand: demand.reads(column, table))

    def misses(self, scope: Scope) -> bool:
        names = tuple((column.name, column.title, column.table, column.merged) for column in scope.columns)
        return self._answer(("misses", scope.alias, names), lambda demand: demand.misses(scope))

    def _answer(self, key: Hashable, question: Callable[[Demand], T]) -> T:
        if key not in self.answers:
            self.answers[key] = question, question(self._demand)
        answer: T = self.answers[key][1]
        return answer


@dataclass(frozen=True)
class _Planned:
    """A query with its relations. `ctes` are the queries of WITH that it can read.

    It keeps the query, because it is found by the identity of that, which Python could give to another object.
    """

    query: ast.Query
    ctes: Mapping[str, object]
    timing: OutputOptions
    answers: tuple[tuple[Question, Any], ...]
    relations: tuple[Relation, ...]

    def fits(self, ctes: Mapping[str, object], timing: OutputOptions, demand: Demand) -> bool:
        same = self.timing == timing and self.ctes == ctes
        return same and all(question(demand) == answer for question, answer in self.answers)


class PlannedQueries:
    """The queries of one plan: their relations name its operators."""

    def __init__(self, known: Mapping[int, list[_Planned]] | None = None) -> None:
        self._known = {key: list(planned) for key, planned in (known or {}).items()}

    def copy(self) -> PlannedQueries:
        return PlannedQueries(self._known)

    def clear(self) -> None:
        self._known.clear()

    def find(
        self, query: ast.Query, ctes: Mapping[str, object], timing: OutputOptions, demand: Demand
    ) -> tuple[Relation, ...] | None:
        known = self._known.get(id(query), ())
        return next((one.relations for one in known if one.fits(ctes, timing, demand)), None)

    def add(
        self,
        query: ast.Query,
        ctes: Mapping[str, object],
        timing: OutputOptions,
        demand: RecordedDemand,
        relations: tuple[Relation, ...],
    ) -> None:
        planned = _Planned(query, ctes, timing, tuple(demand.answers.values()), relations)
        self._known.setdefault(id(query), []).append(planned)
