"""One round of firing: all complete windows, operator by operator in the order of the plan.

An operator above the windows of others absorbs them in the same round, before it fires itself. So the windows of a
cascade never have a late row. Operators whose windows one query combines fire together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.execution import execution_of
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.regroup import regroup
from airflow_nrt.engine.windows.window_operator import no_windows
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.position.due import fires_until
from airflow_nrt.model.operators import Query, WindowAggregate
from airflow_nrt.model.plan import Insert, Plan


@dataclass
class Round:
    """The firing windows by operator, and the states of all operators after it. Results are computed when read."""

    store: SliceStore
    plan: Plan
    layouts: Mapping[str, Layout]
    states: dict[str, OperatorState]
    firings: dict[str, Firing] = field(default_factory=dict)
    _views: dict[str, DataFrame] = field(default_factory=dict)

    def fire(self) -> None:
        """Fires every operator that is due."""
        for operator in self.plan.operators:
            if not operator.sources and self._is_fed(operator.input):
                self._absorb(operator)
            until = fires_until(operator, self.states[operator.name])
            if until is not None:
                self._fire(operator.name, until)
        for group in self.plan.groups:
            fired = [self.firings[name].until for name in group if name in self.firings]
            for name in sorted(group - set(self.firings)) if fired else ():
                self._fire(name, max(fired))

    def inserts(self) -> list[Insert]:
        """The inserts with windows that fire."""
        return [insert for insert in self.plan.inserts if any(name in self.firings for name in insert.operators)]

    def read_by_updating(self) -> dict[str, Callable[[], DataFrame]]:
        """By name, the firing windows that updating operators read, with all windows that these are combined with."""
        fed = dict.fromkeys(name for query in self._below_updating if self._is_fed(query) for name in query.inputs)
        windows = {*(one.name for one in self.plan.operators), *(one.name for one in self.plan.regroups)}
        return {name: partial(self._view, name) for name in fed if name in windows}

    def result(self, query: Query) -> DataFrame:
        """A query over the windows that fire."""
        return run_query(query, {name: self._view(name) for name in query.inputs})

    def close(self) -> None:
        """Releases the frames that several readers shared."""
        for view in self._views.values():
            view.unpersist()

    def _fire(self, name: str, until: int) -> None:
        layout = self.layouts[name]
        self.firings[name] = execution_of(layout).prepare_firing(self.store, layout, self.states[name], until)
        self.states[name] = self.firings[name].state

    def _is_fed(self, query: Query) -> bool:
        return any(name in self.firings for name in self.plan.below(query))

    def _absorb(self, operator: WindowAggregate) -> None:
        """Absorbs the windows that fire below this operator as its rows."""
        views = {name: self._view(name) for name in operator.input.inputs}
        layout, state = self.layouts[operator.name], self.states[operator.name]
        partials = execution_of(layout).absorb(self.store, layout, state, views)
        written = self.store.write(operator.name, partials, layout.closes)
        if written.file is not None:
            self.states[operator.name] = replace(state, rows=(*state.rows, written.file))

    def _view(self, name: str) -> DataFrame:
        if name not in self._views:
            view = self._computed(name)
            self._views[name] = view.persist() if self._readers[name] > 1 else view
        return self._views[name]

    def _computed(self, name: str) -> DataFrame:
        step = self.plan.regroup(name)
        if step is not None:
            return regroup(step, {one: self._view(one) for one in step.input.inputs}, self.store.tasks)
        results = self.firings[name].results if name in self.firings else None
        return results if results is not None else no_windows(self.store.spark, self.plan.operator(name))

    @cached_property
    def _readers(self) -> Counter[str]:
        """The number of queries that read each operator's windows."""
        queries = [operator.input for operator in self.plan.operators]
        queries += [step.input for step in self.plan.regroups]
        queries += [insert.query for insert in self.plan.inserts]
        queries += self._below_updating
        return Counter(name for query in queries for name in query.inputs)

    @property
    def _below_updating(self) -> list[Query]:
        return [query for operator in self.plan.updating for query in operator.inputs]
