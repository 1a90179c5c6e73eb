"""What changed in a report without a change of its results, and from when on it counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from airflow_nrt.describe.script_secrets import shown_option
from airflow_nrt.home.changes.detail import Detail
from airflow_nrt.home.changes.facts import Cone
from airflow_nrt.model.input.policy import policy_options
from airflow_nrt.model.plan import Insert, Lookup, Plan, Source
from airflow_nrt.model.tables import Table

_NEXT, _READ = "from the next driver on", "for rows that the next driver reads"


def metadata_of(before: Insert, now: Insert, made_for: Plan, plan: Plan, cone: Cone) -> tuple[Detail, ...]:
    """What changed of an insert whose facts are the same, in its table and in those that it reads."""
    pairs = [
        *_pairs(made_for.sources, plan.sources, cone.sources),
        *_pairs(made_for.lookups, plan.lookups, cone.lookups),
    ]
    found = [detail for label, old, new in pairs for detail in _options(old, new, label)]
    found += _options(before.sink, now.sink, "")
    old_key, new_key = (", ".join(one.sink.primary_key) or None for one in (before, now))
    if old_key != new_key:
        found.append(Detail("PRIMARY KEY", old_key, new_key, _NEXT))
    return tuple(found)


def metadata_of_report(made_for: Plan, plan: Plan, decided: Iterable[str]) -> tuple[Detail, ...]:
    """The settings that changed without a change of the facts: `decided` are those whose facts differ."""
    old, new = (dict(one.settings) for one in (made_for, plan))
    decides = set(decided)
    return tuple(
        Detail(f"SET {name}", _shown(name, old), _shown(name, new), _NEXT)
        for name in {**old, **new}
        if old.get(name) != new.get(name) and name not in decides
    )


def _pairs(
    old: Iterable[Source | Lookup], new: Iterable[Source | Lookup], names: Iterable[str]
) -> Iterator[tuple[str, Table, Table]]:
    before, wanted = {one.name: one.table for one in old}, set(names)
    return ((f"{one.name}, ", before[one.name], one.table) for one in new if one.name in wanted.intersection(before))


def _options(old: Table, new: Table, label: str) -> list[Detail]:
    policies = policy_options(new)
    return [
        Detail(
            f"{label}option {name}",
            _shown(name, old.options),
            _shown(name, new.options),
            _READ if name in policies else _NEXT,
        )
        for name in {**old.options, **new.options}
        if old.options.get(name) != new.options.get(name)
    ]


def _shown(name: str, values: Mapping[str, str]) -> str | None:
    return shown_option(name, values[name]) if name in values else None
