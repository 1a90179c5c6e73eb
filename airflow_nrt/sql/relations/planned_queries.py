"""A query is planned once for all that ask the same of it: a view that a hundred others read, both sides of a join.

What a query becomes depends on what the SELECT around it asks, for a column that nobody reads is not kept. So all that
planning has asked of it is remembered with the answers. Whoever would answer alike gets the same relations; what they
read is among the findings already.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from airflow_nrt.model.timing import OutputOptions
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.column_demand import Around
from airflow_nrt.sql.relations.relation import Relation

T = TypeVar("T")
Ask = Callable[[Around], Any]


class Watched(Around):
    """What is around a query, with all that was asked of it."""

    def __init__(self, around: Around) -> None:
        object.__setattr__(self, "_around", around)
        object.__setattr__(self, "asked", {})

    asked: dict[Hashable, tuple[Ask, Any]]
    _around: Around

    @property
    def select(self) -> ast.Select | None:
        return self._answer("select", lambda around: around.select)

    def limit(self, column: str) -> int | None:
        return self._answer(("limit", column), lambda around: around.limit(column))

    def selects(self, column: str) -> bool:
        return self._answer(("selects", column), lambda around: around.selects(column))

    def reads(self, column: str, table: str | None = None) -> bool:
        return self._answer(("reads", column, table), lambda around: around.reads(column, table))

    def misses(self, scope: Scope) -> bool:
        names = tuple((column.name, column.title, column.table, column.merged) for column in scope.columns)
        return self._answer(("misses", scope.alias, names), lambda around: around.misses(scope))

    def _answer(self, question: Hashable, ask: Callable[[Around], T]) -> T:
        if question not in self.asked:
            self.asked[question] = ask, ask(self._around)
        answer: T = self.asked[question][1]
        return answer


@dataclass(frozen=True)
class _Planned:
    """`ctes` are what it saw of WITH. The query is kept, so that no other one gets its identity."""

    query: ast.Query
    ctes: Mapping[str, object]
    timing: OutputOptions
    answers: tuple[tuple[Ask, Any], ...]
    relations: tuple[Relation, ...]

    def fits(self, ctes: Mapping[str, object], timing: OutputOptions, around: Around) -> bool:
        return self.timing == timing and self.ctes == ctes and all(ask(around) == said for ask, said in self.answers)


class PlannedQueries:
    """Those of one planning: their relations name its operators."""

    def __init__(self, known: Mapping[int, list[_Planned]] | None = None) -> None:
        self._known = {key: list(planned) for key, planned in (known or {}).items()}

    def copy(self) -> PlannedQueries:
        return PlannedQueries(self._known)

    def clear(self) -> None:
        self._known.clear()

    def find(
        self, query: ast.Query, ctes: Mapping[str, object], timing: OutputOptions, around: Around
    ) -> tuple[Relation, ...] | None:
        known = self._known.get(id(query), ())
        return next((one.relations for one in known if one.fits(ctes, timing, around)), None)

    def add(
        self,
        query: ast.Query,
        ctes: Mapping[str, object],
        timing: OutputOptions,
        around: Watched,
        relations: tuple[Relation, ...],
    ) -> None:
        planned = _Planned(query, ctes, timing, tuple(around.asked.values()), relations)
        self._known.setdefault(id(query), []).append(planned)
