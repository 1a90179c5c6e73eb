"""A report beside that of a home: why the home refuses it, and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from airflow_nrt.home.changes.comparison import Comparison, Reports
from airflow_nrt.home.changes.words import refused_lines
from airflow_nrt.home.identity.additions import Additions, compare
from airflow_nrt.home.identity.fingerprint import Fingerprint, differences, without_policies_in
from airflow_nrt.home.identity.identity import Identity
from airflow_nrt.home.identity.semantics import changed_operators
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan

_CODE = (", target", ", source")


@dataclass(frozen=True)
class Differences:
    """Why a home refuses a report, one sentence for each difference, and the same by insert (`by_insert`); or which
    inserts it would add. `made_for` is the home's own report, if it was planned again."""

    sentences: tuple[str, ...] = ()
    added: Additions = field(default_factory=dict)
    made_for: Plan | None = None
    by_insert: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        lines = (f"  {line}" if line.startswith(" ") else f"  - {line}" for line in self.by_insert)
        return "\n".join(lines) or listed(self.sentences)


def differences_of_home(
    identity: Identity, plan: Plan, planned_again: Callable[[Settings], Plan] | None
) -> Differences:
    """The differences of a report from that of a home, which is `planned_again` from these settings.

    Without that, the fingerprint in the home is compared. Raises as `planned_again` does.
    """
    before, now = identity.fingerprint, identity.facts(plan)
    if before == now:
        return Differences()
    changed = identity.masks.changes(before, plan.given)
    if changed:
        return Differences(tuple(changed))
    given = plan.given.masking(identity.masks.hashes)
    if planned_again is None:
        old, new = (without_policies_in(facts, plan) for facts in (before, now))
        return Differences(tuple(given.shown(text) for text in differences(old, new)))
    # The module of a function may have changed since, and planning again finds the new one.
    functions = differences(_code_of_functions(before), _code_of_functions(now))
    made_for = planned_again(given)
    changes, added = compare(made_for, plan, identity.added)
    if identity.program is not None and not changes and identity.has_moved(identity.facts(made_for)):
        changes = differences(before, now)
    found = tuple(dict.fromkeys(given.shown(text) for text in (*functions, *changes)))
    by_insert = refused_lines(compared_with_home(identity, made_for, plan, found)) if found else []
    return Differences(found, added, made_for, tuple(by_insert))


def compared_with_home(identity: Identity, made_for: Plan, plan: Plan, refuses: Sequence[str]) -> Comparison:
    """The comparison with the report `made_for` of a home, which `refuses` the plan for these reasons. It is for
    people: masked values are not in it."""
    kept = without_policies_in(identity.fingerprint, plan)
    planned, now = (identity.facts(one) for one in (made_for, plan))
    before = dict(kept if identity.program is not None and identity.has_moved(planned) else planned)
    # What planning again can't bring back: the code of functions, and masked values.
    other = [name for name in identity.masks.hashes if not identity.masks.fits(name, plan.given)]
    before |= {name: text for name, text in kept.items() if any(identity.masks.marker(one) in text for one in other)}
    before |= _code_of_functions(kept)
    reports = Reports(
        made_for, plan, without_policies_in(before, plan), without_policies_in(now, plan), refuses, identity.added,
        changed_operators(identity.operators, made_for),
    )  # fmt: skip

    def mask(text: str) -> str:
        for name in identity.masks.hashes:
            text = text.replace(identity.masks.marker(name), f"${{{name}}}")
        return plan.given.masking(identity.masks.hashes).shown(text)

    return reports.compared().shown(mask)


def listed(sentences: Iterable[str]) -> str:
    return "\n".join(f"  - {sentence}" for sentence in sentences)


def _code_of_functions(facts: Fingerprint) -> Fingerprint:
    return {name: text for name, text in facts.items() if name.startswith("function ") and name.endswith(_CODE)}
