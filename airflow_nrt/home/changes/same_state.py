"""Whether two inserts have the same operators below them, so that the state of one is that of the other.

Operators are compared field by field, with the SQL of their inputs, down to the tables. Only their names may differ,
because they are numbered through the whole report.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from functools import reduce
from typing import Any

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.arithmetic_errors import uncounted
from airflow_nrt.model.operators import OfWindows, Query, Regroup
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import Updating

Step = OfWindows | Updating


def has_same_state(made_for: Plan, before: Insert, plan: Plan, now: Insert) -> bool:
    """Whether both have operators with state, and these have the same state after the same rows.

    What is above the operators may differ. Their tables are taken for the same: the facts say whether they are.
    """
    pairs = _Pairs(_Steps(made_for, before), _Steps(plan, now))
    return bool(before.operators or pairs.before.keeps_state) and pairs.state_of(before.query, now.query)


class _Steps:
    """The steps of a plan by their names, and the words of one insert."""

    def __init__(self, plan: Plan, insert: Insert) -> None:
        every: tuple[Step, ...] = (*plan.operators, *plan.regroups, *plan.updating)
        self.by_name = {one.name: one for one in every}
        self.words = {word for _, text in insert.meaning for word in re.findall(r"\w+", text)}
        self.keeps_state = any(isinstance(step, Updating) for step in self.read_by(insert.query))

    def read_by(self, query: Query) -> list[Step]:
        """The operators whose state decides what a query reads: windows that are grouped again have none between."""
        found: list[Step] = []
        for name in query.inputs:
            step = self.by_name.get(name)
            if isinstance(step, Regroup):
                found += self.read_by(step.input)
            elif step is not None:
                found.append(step)
        return found


class _Pairs:
    def __init__(self, before: _Steps, now: _Steps) -> None:
        self.before = before
        self.now = now

    def state_of(self, before: Query, now: Query) -> bool:
        """Whether the operators that two queries read have the same state, each in any number of places."""
        olds, news = self.before.read_by(before), self.now.read_by(now)
        matched = [next((new for new in news if self._are_same(old, new)), None) for old in olds]
        return None not in matched and {one.name for one in news} <= {one.name for one in matched if one is not None}

    def _are_same(self, before: Any, now: Any) -> bool:
        """Whether two values of operators are the same but for the names of operators."""
        if type(before) is not type(now):
            return False
        if isinstance(before, Query):
            return self._same_queries(before, now)
        if isinstance(before, tuple):
            return len(before) == len(now) and all(map(self._are_same, before, now))
        if is_dataclass(before):
            own = "name" if isinstance(before, (OfWindows, Updating)) else None
            compared = (field.name for field in fields(before) if field.compare and field.name != own)
            return all(self._are_same(getattr(before, name), getattr(now, name)) for name in compared)
        return bool(before == now)

    def _same_queries(self, before: Query, now: Query) -> bool:
        if len(before.inputs) != len(now.inputs) or before.fields != now.fields:
            return False
        for old, new in zip(before.inputs, now.inputs):
            steps = self.before.by_name.get(old), self.now.by_name.get(new)
            if (steps == (None, None) and old != new) or not self._are_same(*steps):
                return False
        renamed = {old: new for old, new in zip(before.inputs, now.inputs) if old != new}
        if not renamed:
            return before == now
        # A column could have such a name: then nothing is known of what is renamed in the SQL.
        if any(old in self.before.words or new in self.now.words for old, new in renamed.items()):
            return False
        marks = {old: f"\0{number}\0" for number, old in enumerate(renamed)}
        text = reduce(lambda sql, old: sql.replace(quote(old), marks[old]), marks, uncounted(before.sql))
        return uncounted(now.sql) == reduce(lambda sql, old: sql.replace(marks[old], quote(renamed[old])), marks, text)
