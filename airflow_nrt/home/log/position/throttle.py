"""Throttled inserts: which of them emit their waiting changes at a position, and what waits after that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from airflow_nrt.home.log.entries import Position, StateFile, Versions
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import Rows

Waiting = Mapping[str, tuple[StateFile, ...]]
"""By insert, the files of changes that wait."""
_ALL = 0
"""Rows are counted by window. These results have one window, which never ends."""


def throttled_due(plan: Plan, position: Position, clock: int) -> tuple[Insert, ...]:
    """The inserts whose changes are to be emitted at this processing time (ms)."""
    ended = bool(position.sources) and all(source.ended for source in position.sources.values())
    return tuple(one for one in plan.throttled if _is_due(one, position.versions.get(one.name), clock, ended))


def waiting_after(plan: Plan, position: Position, emitted: Iterable[Insert]) -> Waiting:
    """The files of changes that wait once these inserts have emitted theirs."""
    return {one.name: () if one in emitted else _of(position.versions, one).shown for one in plan.throttled}


def after_emission(versions: Mapping[str, Versions], inserts: Iterable[Insert], clock: int) -> dict[str, Versions]:
    """The versions by insert once the changes of these inserts have been emitted."""
    return {**versions, **{insert.name: Versions(at=clock) for insert in inserts}}


def with_waiting(
    plan: Plan, versions: Mapping[str, Versions], waiting: Waiting, row_counts: Mapping[str, int], clock: int
) -> dict[str, Versions]:
    """The versions of throttled inserts after a batch that left these changes and had these numbers of rows by
    source."""
    found = {}
    for insert in plan.throttled:
        before, sources = _of(versions, insert), plan.sources_of(insert.query)
        total = before.rows.get(_ALL, 0) + sum(count for name, count in row_counts.items() if name in sources)
        files = waiting.get(insert.name, before.shown)
        at = clock if before.at is None else before.at
        found[insert.name] = replace(before, at=at, rows={_ALL: total}, shown=files)
    return found


def _of(versions: Mapping[str, Versions], insert: Insert) -> Versions:
    return versions.get(insert.name, Versions())


def _is_due(insert: Insert, versions: Versions | None, clock: int, ended: bool) -> bool:
    if versions is None or not versions.shown or versions.at is None:
        return False
    rate = insert.timing.update_rate
    if isinstance(rate, Rows):
        return ended or versions.rows.get(_ALL, 0) >= rate.count
    return ended or (rate is not None and clock >= versions.at + rate)
