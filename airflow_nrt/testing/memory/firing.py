"""Windows that fire, or that are looked at, in memory: operator by operator, and what queries make of each window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.position.due import fires_until
from airflow_nrt.model.operators import Query
from airflow_nrt.model.plan import Plan
from airflow_nrt.testing.memory.meaning import Meaning
from airflow_nrt.testing.memory.rows import Row, counted
from airflow_nrt.testing.memory.windows import Results, WindowMemory


@dataclass
class Round:
    """The windows by operator, and the states of all operators after they have fired."""

    plan: Plan
    meaning: Meaning
    operators: Mapping[str, WindowMemory]
    states: dict[str, OperatorState]
    windows: dict[str, Results] = field(default_factory=dict)

    def fire(self) -> None:
        """Fires every operator that is due. One above windows absorbs them first."""
        fired: dict[str, int] = {}
        for operator in self.plan.operators:
            if not operator.sources and fired.keys() & {*self.plan.below(operator.input)}:
                self._absorb(operator.name, operator.input)
            until = fires_until(operator, self.states[operator.name])
            if until is not None:
                fired[operator.name] = until
                self._fire(operator.name, until)
        for group in self.plan.groups:
            ends = [fired[name] for name in group if name in fired]
            for name in group - fired.keys() if ends else ():
                self._fire(name, max(ends))

    def ends(self, query: Query) -> list[int]:
        """The ends (ms) of the windows that a query reads."""
        return sorted({end for name in self.plan.below(query) for end in self.windows.get(name, ())})

    def result(self, reader: str, query: Query, end: int) -> list[Row]:
        """The rows of a query in one window."""
        return self.meaning.rows(reader, {name: self._view(name, end) for name in query.inputs}, query.inputs)

    def every(self, query: Query) -> dict[str, list[Row]]:
        """The views of a query, with the rows of all windows."""
        ends = self.ends(query)
        return {name: [row for end in ends for row in self._view(name, end)] for name in query.inputs} if ends else {}

    def _fire(self, name: str, until: int) -> None:
        state = self.states[name]
        self.windows[name] = self.operators[name].peek(state, state.fired_until, until)
        self.states[name] = self.operators[name].fired(state, until)

    def _absorb(self, name: str, query: Query) -> None:
        rows = [row for end in self.ends(query) for row in self.result(name, query, end)]
        state = self.states[name]
        new = self.operators[name].file(self.operators[name].absorb(rows, state).partials)
        self.states[name] = replace(state, rows=(*state.rows, *new))

    def _view(self, name: str, end: int) -> list[Row]:
        regroup = self.plan.regroup(name)
        if regroup is not None:
            return counted(self.result(name, regroup.input, end), end - 1)
        return self.windows.get(name, {}).get(end, [])
