"""Windows with several versions: which versions are due at a position, their states, and the position after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from airflow_nrt.home.log.entries import OperatorState, Position, Published, StateFile, Versions
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE, EARLY, LAST, LATE

Operators = Mapping[str, OperatorState]


@dataclass(frozen=True)
class Touched:
    """The number of new rows for each window from the one that ends at `first` to the one that ends at `last`."""

    first: int
    last: int
    count: int


@dataclass(frozen=True)
class StagedVersions:
    """The versions of one insert that were due: their states by window end, their files, and the rows published then
    (`shown`) of windows that can still change."""

    due: Mapping[int, str]
    published: tuple[Published, ...]
    shown: tuple[StateFile, ...]


def has_sessions(insert: Insert) -> bool:
    """Whether only its rows say which of its windows are due."""
    return insert.window is not None and not insert.window.ends_on_grid


def versions_of(position: Position, insert: Insert) -> Versions:
    return position.versions.get(insert.name, Versions())


def watermark_of(insert: Insert, operators: Operators) -> int | None:
    """The watermark (ms) of the sources of an insert. Its operators lag it by the offset of the last version."""
    watermarks = [operators[name].watermark for name in insert.operators]
    known = [at for at in watermarks if at is not None]
    return min(known) + insert.timing.final if len(known) == len(watermarks) else None


def fired_of(insert: Insert, operators: Operators) -> int:
    """All windows of an insert that end at or before this (ms) have fired."""
    return max(operators[name].fired_until for name in insert.operators)


def due_versions(insert: Insert, operators: Operators, versions: Versions) -> dict[int, str]:
    """By end, the states of the due versions of windows on a grid."""
    now = watermark_of(insert, operators)
    if now is None:
        return {}
    found = {}
    for end in _candidates(insert, [operators[name] for name in insert.operators], now):
        state = insert.timing.due(end, versions.at, now, versions.rows.get(end, 0))
        if state is not None:
            found[end] = state
    return found


def state_of_slot(insert: Insert, slot: int, before: int | None, now: int) -> str:
    """The state of the sessions that end in a slot (ms), when the watermark moves from `before` to `now` (ms)."""
    if not insert.timing.is_complete(slot, now):
        return EARLY
    if insert.timing.result_state is not None and slot + insert.timing.final - 1 <= now and insert.timing.late_updates:
        return LAST
    return LATE if insert.timing.is_complete(slot, before) else COMPLETE


def are_versions_due(plan: Plan, position: Position, operators: Operators) -> bool:
    """Whether versions are due at these states of operators. Sessions are left out: only a round knows."""
    return any(
        due_versions(one, operators, versions_of(position, one)) for one in plan.versioned if not has_sessions(one)
    )


def may_versions_be_due(plan: Plan, position: Position) -> bool:
    """Whether a round may find that versions are due."""
    states = [position.operators[name] for one in plan.versioned if has_sessions(one) for name in one.operators]
    return are_versions_due(plan, position, position.operators) or any(state.rows or state.closed for state in states)


def with_touched(
    plan: Plan, position: Position, operators: Operators, touched: Mapping[str, Iterable[Touched]]
) -> dict[str, Versions]:
    """The versions by insert after a batch or a tick with these rows, and with these states of operators."""
    return {one.name: _with_rows(one, position, operators, touched) for one in plan.versioned}


def after_versions(
    insert: Insert, position: Position, fired: int, staged: StagedVersions
) -> tuple[Versions, tuple[str, ...]]:
    """The versions of an insert after these, and the results that no longer exist (`insert/place`)."""
    before, due = versions_of(position, insert), staged.due
    placed = {one.end: one.target for one in staged.published if one.end is not None and not one.is_delta}
    standing = {**before.standing, **placed}
    gone = set(due) & set(before.standing) - {one.end for one in staged.published}
    removed = tuple(f"{insert.name}/{standing.pop(end)}" for end in sorted(gone))
    versions = Versions(
        watermark_of(insert, position.operators),
        {end: count for end, count in before.rows.items() if end not in due and end > fired},
        {end: place for end, place in standing.items() if end > fired},
        staged.shown,
    )
    return versions, removed


def newly_complete(plan: Plan, position: Position, published: Iterable[Published]) -> int:
    """How many windows get their first complete result with these files."""
    found = set()
    for one in published:
        insert = plan.insert(one.insert)
        before = versions_of(position, insert).at
        if one.end is not None and one.state != EARLY and not insert.timing.is_complete(one.end, before):
            found.add((one.insert, one.end))
    return len(found)


def with_complete(plan: Plan, operators: Operators) -> dict[str, OperatorState]:
    """The operators with the end up to which windows are complete, if these fire for the last time later."""
    found = {}
    for name, state in operators.items():
        inserts = plan.fed_by(name)
        times = [watermark_of(insert, operators) for insert in inserts if insert.timing.late_updates]
        if times and len(times) == len(inserts):
            reached = [at - one.timing.complete_result for at, one in zip(times, inserts) if at is not None]
            until = plan.operator(name).window.last_complete_end(min(reached)) if reached else None
            state = replace(state, complete=until)
        found[name] = state
    return found


def _candidates(insert: Insert, states: Iterable[OperatorState], now: int) -> Iterator[int]:
    """The windows with rows that have not had their last version yet."""
    window = insert.window
    assert window is not None
    having = [state for state in states if state.files()]
    if not having:
        return iter(())
    fired = min(state.fired_until for state in having)
    stored = Partials(tuple(file for state in having for file in (*state.rows, *state.closed))).span
    first, last = window.first_end(stored.first), window.last_end(stored.last)
    return window.ends_between(max(fired, first - 1), min(now + 1 - insert.timing.earliest, last))


def _with_rows(
    insert: Insert, position: Position, operators: Operators, touched: Mapping[str, Iterable[Touched]]
) -> Versions:
    assert insert.window is not None
    versions, now = versions_of(position, insert), watermark_of(insert, operators)
    counts = dict(versions.rows)
    for one in (one for name in insert.operators for one in touched.get(name, ())):
        # Windows whose first version is still to come need no count.
        until = one.first - 1 if now is None else min(one.last, now + 1 - insert.timing.earliest)
        for end in insert.window.ends_between(one.first - 1, until):
            counts[end] = counts.get(end, 0) + one.count
    return replace(versions, at=watermark_of(insert, position.operators), rows=counts)
