"""Inserts that are added to the report of a home: their tables are filled from those of inserts that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.identity.fingerprint import changes_between
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.twins import twin_of

Additions = dict[str, str]
"""By added insert, the insert from whose table that of the added one is filled."""


@dataclass(frozen=True)
class Inserts:
    """The inserts of two plans: those that both have (as in the second), and by name what became of the others.

    The tables of the `added` can be filled, those of the `unfilled` can't, for the reason there; others are `gone`.
    """

    kept: tuple[Insert, ...]
    gone: tuple[str, ...]
    added: Additions
    unfilled: Mapping[str, str]


def inserts_of(made_for: Plan, plan: Plan, filled: Collection[str]) -> Inserts:
    """`filled` are inserts that were added before. Additions have no state of their own, so they rename none."""
    known, tables = {one.name for one in made_for.inserts}, {one.sink.name for one in made_for.inserts}
    kept = tuple(one for one in plan.inserts if one.name in known)
    originals = [one for one in kept if one.name not in filled]
    added: Additions = {}
    unfilled: dict[str, str] = {}
    for insert in plan.inserts:
        if insert.name in known:
            continue
        try:
            if insert.sink.name in tables:
                raise InputError(f"insert into {insert.name} is new: another insert writes into its table already")
            added[insert.name] = twin_of(insert, originals).name
            tables.add(insert.sink.name)
        except InputError as wrong:
            unfilled[insert.name] = str(wrong)
    gone = tuple(sorted(known.difference(one.name for one in kept)))
    return Inserts(kept, gone, added, unfilled)


def compare(made_for: Plan, plan: Plan, filled: Collection[str]) -> tuple[list[str], Additions]:
    """The differences between the results of two plans of one planner, one sentence each, and the inserts that only the
    second one has. See `inserts_of`."""
    inserts = inserts_of(made_for, plan, filled)
    reasons = [*(f"insert into {name} is gone" for name in inserts.gone), *inserts.unfilled.values()]
    # The operators of these inserts would count as changes, too.
    return reasons or changes_between(made_for, replace(plan, inserts=inserts.kept)), inserts.added
