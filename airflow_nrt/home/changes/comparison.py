"""A report compared with the one that a home was made for, insert by insert.

A kind is proven, never guessed. An insert is as it was if all facts are the same: its own, and those of the tables,
functions and settings below it. Its state can be kept if only its own facts differ, and the operators below it are the
same down to their tables. All else is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from airflow_nrt.home.changes.clauses import differences_of_insert
from airflow_nrt.home.changes.detail import Detail
from airflow_nrt.home.changes.facts import Cone, cone_of, newly_read, of_cones, of_insert, of_rows, unlike
from airflow_nrt.home.changes.kinds import (
    Added,
    AsItWas,
    ByVersion,
    Kind,
    MetadataAlone,
    New,
    Removed,
    StateKept,
    recomputed,
)
from airflow_nrt.home.changes.metadata_changes import metadata_of, metadata_of_report
from airflow_nrt.home.changes.parentheses import without_doubled
from airflow_nrt.home.changes.reach import Reach
from airflow_nrt.home.changes.same_state import has_same_state
from airflow_nrt.home.identity.additions import inserts_of
from airflow_nrt.home.identity.fingerprint import Fingerprint
from airflow_nrt.model.plan import Insert, Plan

_ORDER = "order of the inserts"
_TABLE_FACTS = ("connector", "option ", "primary key")
"""Facts of a table that say where and how its rows are kept, not what they are."""


@dataclass(frozen=True)
class InsertChange:
    """What became of an insert, and in which words."""

    name: str
    kind: Kind
    details: tuple[Detail, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """`of_report` are settings that changed without an effect on results. The report is `respelled` where its text
    alone is another."""

    report: str
    inserts: tuple[InsertChange, ...]
    of_report: tuple[Detail, ...] = ()
    respelled: bool = False

    @property
    def accepted(self) -> bool:
        """Whether a home takes the report."""
        return all(one.kind.accepted for one in self.inserts)

    @property
    def refused(self) -> tuple[InsertChange, ...]:
        """The inserts for which a home does not take it."""
        return tuple(one for one in self.inserts if not one.kind.accepted)

    def shown(self, mask: Callable[[str], str]) -> Comparison:
        """The same for people, without what the mask hides."""

        def masked(details: tuple[Detail, ...]) -> tuple[Detail, ...]:
            return tuple(one.shown(mask) for one in details)

        inserts = tuple(replace(one, details=masked(one.details)) for one in self.inserts)
        return replace(self, inserts=inserts, of_report=masked(self.of_report))

    def with_past(self, reach_of: Callable[[Insert], Reach], plan: Plan) -> Comparison:
        """The same, with what it takes to compute the past."""
        inserts = {one.name: one for one in plan.inserts}
        done = (
            replace(one, kind=one.kind.with_past(partial(reach_of, inserts[one.name]))) if one.name in inserts else one
            for one in self.inserts
        )
        return replace(self, inserts=tuple(done))


@dataclass(frozen=True)
class Reports:
    """Two plans of one planner: of the report that a home was made for, and of the one in question.

    `before` and `now` are their facts without input policies, as the home keeps them. The home `refuses` the second one
    for these reasons, none if it takes it. `filled` are inserts that were added before, `versions` by operator of the
    first plan why this version of airflow-nrt can't go on with its state.
    """

    made_for: Plan
    plan: Plan
    before: Fingerprint
    now: Fingerprint
    refuses: Sequence[str]
    filled: Collection[str]
    versions: Mapping[str, str]

    def compared(self) -> Comparison:
        inserts = inserts_of(self.made_for, self.plan, self.filled)
        olds = {one.name: one for one in self.made_for.inserts}
        found: list[InsertChange] = []
        for insert in self.plan.inserts:
            if insert.name in olds:
                found.append(self._kept(olds[insert.name], insert))
            elif insert.name in inserts.added:
                found.append(InsertChange(insert.name, Added(inserts.added[insert.name])))
            else:
                why = inserts.unfilled[insert.name].removeprefix(f"insert into {insert.name} is new")
                found.append(InsertChange(insert.name, New(why)))
        found += (InsertChange(name, Removed()) for name in inserts.gone)
        decided = (name.removeprefix("setting ") for name in unlike(self.before, self.now))
        settings = metadata_of_report(self.made_for, self.plan, decided)
        is_same = not settings and all(isinstance(one.kind, AsItWas) for one in found)
        respelled = is_same and not self.refuses and self.made_for.script != self.plan.script
        comparison = Comparison(self.plan.name, tuple(found), settings, respelled)
        if self.refuses and comparison.accepted:
            # What no insert has by itself, such as their order, by which operators are numbered.
            moved = (self._moved(one, olds) for one in found)
            return replace(comparison, inserts=tuple(moved))
        return comparison

    # ------------------------------------------------------------------ one insert

    def _kept(self, before: Insert, now: Insert) -> InsertChange:
        cones = cone_of(self.made_for, before), cone_of(self.plan, now)
        reads = newly_read(self.before, self.now)
        below = [_without(reads, of_cones(facts, cones)) for facts in (self.before, self.now)]
        own = [of_insert(facts, now.name) for facts in (self.before, self.now)]
        rows = [of_rows(facts, now.name) for facts in (self.before, self.now)]
        if self.refuses and (own[0] != own[1] or rows[0] != rows[1] or below[0] != below[1]):
            details = (*differences_of_insert(*own), *self._below(*below))
            details = details or tuple(Detail(one, rows[0].get(one), rows[1].get(one)) for one in unlike(*rows))
            return InsertChange(now.name, self._kind(before, now, own, below), details)
        waits = _waits(self.made_for, cones[0]), _waits(self.plan, cones[1])
        if self.refuses and waits[0] != waits[1]:
            # Windows that another insert combines fire together: which rows are late depends on all their sources.
            return InsertChange(now.name, recomputed(now), (Detail("waits for the watermarks of", *waits),))
        why = next((self.versions[name] for name in cones[0].operators if name in self.versions), None)
        if why is not None:
            return InsertChange(now.name, ByVersion(why))
        metadata = (*self._read(reads, cones[1]), *metadata_of(before, now, self.made_for, self.plan, cones[1]))
        return InsertChange(now.name, MetadataAlone() if metadata else AsItWas(), metadata)

    def _kind(self, before: Insert, now: Insert, own: list[dict[str, str]], below: list[dict[str, str]]) -> Kind:
        if below[0] == below[1]:
            if self._has_same_state(before, now):
                return StateKept(now.window is not None, has_state=True)
            is_stored_elsewhere = all(name.startswith(_TABLE_FACTS) for name in unlike(*own))
            if is_stored_elsewhere and self._is_stateless(before, now):
                return StateKept(is_windowed=False, has_state=False)
        return recomputed(now)

    def _has_same_state(self, before: Insert, now: Insert) -> bool:
        # Of windows with several versions the log keeps rows that were published, by the query.
        once = before.timing == now.timing and now.timing.publishes_once
        return once and has_same_state(self.made_for, before, self.plan, now)

    def _is_stateless(self, before: Insert, now: Insert) -> bool:
        return not before.changes and not now.changes and not cone_of(self.plan, now).operators

    def _read(self, reads: Sequence[str], cone: Cone) -> list[Detail]:
        """The columns of its sources that other inserts have come to read, or read no more."""
        of_cone = of_cones({name: "" for name in reads if ", column " in name}, [cone])
        texts = ((name.removeprefix("source "), self.before.get(name), self.now.get(name)) for name in of_cone)
        return [
            Detail(what, old, new, "another insert reads it: rows may be unreadable by it") for what, old, new in texts
        ]

    def _below(self, before: Mapping[str, str], now: Mapping[str, str]) -> list[Detail]:
        """What changed below an insert. The code of a function is no text for people."""
        found = []
        for name in unlike(before, now):
            texts = before.get(name), now.get(name)
            if name.startswith("function ") and name.endswith((", source", ", target")) and None not in texts:
                found.append(Detail(name.rpartition(", ")[0], "its code", "other code"))
            else:
                old, new = (None if text is None else without_doubled(text) for text in texts)
                found.append(Detail(name.removeprefix("source "), old, new))
        return list(dict.fromkeys(found))

    # ------------------------------------------------------------------ the whole report

    def _moved(self, change: InsertChange, olds: Mapping[str, Insert]) -> InsertChange:
        """An insert of a report that the home refuses although each insert is as it was."""
        before, now = olds.get(change.name), self._inserts.get(change.name)
        if before is None or now is None or not isinstance(change.kind, (AsItWas, MetadataAlone)):
            return change
        order = Detail(_ORDER, self.before.get(_ORDER), self.now.get(_ORDER))
        details = (order,) if order.before != order.now else tuple(Detail(text, None, "") for text in self.refuses)
        is_same = self._has_same_state(before, now)
        kind = StateKept(now.window is not None, has_state=True) if is_same else recomputed(now)
        return InsertChange(change.name, kind, details)

    @cached_property
    def _inserts(self) -> dict[str, Insert]:
        return {one.name: one for one in self.plan.inserts}


def _waits(plan: Plan, cone: Cone) -> str:
    """The watermarks that decide which rows are late, in words."""
    windows = [plan.operator(name) for name in cone.operators if any(one.name == name for one in plan.operators)]
    return "; ".join(
        sorted({", ".join(sorted(one.clock)) + (f" - {one.delay} ms" * (one.delay > 0)) for one in windows})
    )


def _without(names: Collection[str], facts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in facts.items() if name not in names}
