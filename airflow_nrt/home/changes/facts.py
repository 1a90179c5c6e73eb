"""The facts of a report by what they are of: an insert, a table that it reads, a function, the settings.

They are those of the fingerprint, without input policies, which a living home may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from airflow_nrt.home.identity.fingerprint import Fingerprint, is_star
from airflow_nrt.model.lookups import view_of
from airflow_nrt.model.operators import Query
from airflow_nrt.model.plan import Insert, Plan

_SETTING = "setting "
_ORDERS = (", order of columns",)
_READ = re.compile(r"source .*, (column|field of) .*", re.DOTALL)


@dataclass(frozen=True)
class Cone:
    """All that is below an insert, by the names in its plan: what its results are computed from."""

    sources: tuple[str, ...]
    lookups: tuple[str, ...]
    functions: tuple[str, ...]
    operators: tuple[str, ...]
    """Those that keep state."""
    has_star: bool
    """Whether a star gives it columns in the order of its tables."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The beginnings of the names of their facts."""
        return (
            *(f"source {name}, " for name in self.sources),
            *(f"dimension {name}, " for name in self.lookups),
            *(f"function {name}, " for name in self.functions),
            _SETTING,
        )


def cone_of(plan: Plan, insert: Insert) -> Cone:
    """Functions and dimensions count where the report names them: rather one too many."""
    found: dict[str, None] = {}
    sql = [insert.query.sql]
    waiting: list[Query] = [insert.query]
    operators = {one.name: one for one in (*plan.operators, *plan.updating)}
    steps = {**operators, **{one.name: one for one in plan.regroups}}
    while waiting:
        for name in waiting.pop().inputs:
            if name not in found:
                found[name] = None
                below = steps[name].inputs if name in steps else ()
                sql += [query.sql for query in below]
                waiting += below
    words = {word.upper() for _, text in insert.meaning for word in re.findall(r"\w+", text)}
    # Calls of table functions are in no expression of the report's words alone.
    called = " ".join(sql).upper()
    return Cone(
        sources=tuple(one.name for one in plan.sources if one.name in found),
        lookups=tuple(one.name for one in plan.lookups if one.name in found or view_of(one.table).upper() in called),
        functions=tuple(one.name for one in plan.functions if one.name.upper() in words or one.name.upper() in called),
        operators=tuple(name for name in operators if name in found),
        has_star=any(is_star(text) for _, text in insert.meaning),
    )


def of_insert(facts: Fingerprint, name: str) -> dict[str, str]:
    """The facts of an insert and its table, by names that leave out the insert's."""
    return {fact: text for label in (f"insert into {name}, ",) for fact, text in _below(facts, label)}


def of_rows(facts: Fingerprint, name: str) -> dict[str, str]:
    """What follows from the query of an insert: its windows, its key."""
    return dict(_below(facts, f"rows for {name}, "))


def of_cones(facts: Fingerprint, cones: Iterable[Cone]) -> dict[str, str]:
    """The facts of what is below an insert, by their names."""
    labels = tuple({label: None for cone in cones for label in cone.labels})
    orders = () if any(cone.has_star for cone in cones) else _ORDERS
    return {name: text for name, text in facts.items() if name.startswith(labels) and not name.endswith(orders)}


def newly_read(before: Fingerprint, now: Fingerprint) -> list[str]:
    """The facts of columns of sources that only one of two reports reads.

    An insert that is the same in both does not read them. They decide only which rows can't be read, as input policies
    do.
    """
    return [name for name in unlike(before, now) if _READ.fullmatch(name) and (name in before) != (name in now)]


def unlike(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The names whose facts differ, in the order of the report."""
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]


def _below(facts: Fingerprint, label: str) -> Iterable[tuple[str, str]]:
    return ((name.removeprefix(label), text) for name, text in facts.items() if name.startswith(label))
