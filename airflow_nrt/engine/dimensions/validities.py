"""The versions of dimension tables that a batch uses in place of a stream: those that the log remembers, or the newest.

    log entry      3            4            5            6
    version        A            A            B            B
    clock       10:00:00     10:01:00     10:02:00     10:03:00

A row of entry 4 has the clock 10:01:00, and is joined with version A, which is valid up to 10:02:00. The clock of a
report with dimension tables never goes back, so that the validities of versions don't overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.engine.dimensions.remembered import Validity, valid_versions
from airflow_nrt.engine.dimensions.views import provide, provide_newest, provide_version, remember_newest
from airflow_nrt.engine.windows.firing_clock import fired_at, fires_at
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.history import History
from airflow_nrt.model.options.lookups import uses_newest
from airflow_nrt.model.plan import Lookup, Plan

_SHOWN = 5
Given = tuple[tuple[str, str], ...]
"""Pairs of a dimension table and a version of it."""


def provide_for_backfill(spark: SparkSession, plan: Plan, home: Home, history: History) -> dict[str, str]:
    """Lets queries read the version that each row was joined with in the stream; gives the newest ones that are used
    instead, by table: of tables that say so, and where no stream has read rows. The home remembers these."""
    _provide_firings(spark, plan, history)
    newest = {}
    for lookup in plan.lookups:
        if uses_newest(lookup.table.options) or not history.is_streamed:
            newest[lookup.name] = remember_newest(spark, home, lookup)
            provide_version(spark, home, lookup, newest[lookup.name])
        else:
            provide(lookup, valid_versions(spark, home, lookup, streamed_versions(lookup, history)))
    return newest


def provide_for_verification(spark: SparkSession, plan: Plan, home: Home, history: History) -> list[str]:
    """Lets queries read the version that each row was joined with in the stream, or the newest of tables that say so;
    gives notes about them. It writes nothing."""
    _provide_firings(spark, plan, history)
    notes = []
    for lookup in plan.lookups:
        used = streamed_versions(lookup, history) if history.is_streamed else []
        if uses_newest(lookup.table.options):
            newest = provide_newest(spark, lookup)
            streamed = f", the stream has used {_listed(used)}" if used else ""
            notes.append(f"table {lookup.name}: joined with its newest version, {newest[:8]}{streamed}")
        elif used:
            provide(lookup, valid_versions(spark, home, lookup, used))
            notes.append(f"table {lookup.name}: joined with what the stream has used, {_listed(used)}")
        else:
            _provide_of_backfill(spark, home, lookup, history)
    return notes


def _provide_firings(spark: SparkSession, plan: Plan, history: History) -> None:
    """Lets queries read when the windows of the stream have fired."""
    for operator in plan.clocked:
        if operator in history.fired:
            fired_at(spark, operator, history.fired[operator])
        else:
            fires_at(spark, operator, None)


def _provide_of_backfill(spark: SparkSession, home: Home, lookup: Lookup, history: History) -> None:
    """Lets queries be planned. Each window is then joined with the version of the backfill that published it."""
    given = [versions[lookup.name] for versions in history.joined_with.values() if lookup.name in versions]
    if given:
        provide_version(spark, home, lookup, given[-1])
    else:
        provide_newest(spark, lookup)


def _listed(versions: Sequence[Validity]) -> str:
    """The versions for people, the newest ones if there are many."""
    shown = [
        version[:8] if begin == -END_OF_TIME else f"{version[:8]} from {format_instant(begin)} on"
        for version, begin, _ in versions[-_SHOWN:]
    ]
    more = len(versions) - len(shown)
    return f"{f'{more} older versions, ' if more else ''}{', '.join(shown)}"


def joined_with(plan: Plan, history: History, insert: str, ends: Collection[int | None]) -> dict[Given, list[int]]:
    """The windows whose last backfill used one version of a table for all rows, by these versions.

    Versions of tables whose newest one is used are left out.
    """
    chosen = {lookup.name for lookup in plan.lookups if not uses_newest(lookup.table.options)}
    found: dict[Given, list[int]] = {}
    for (name, target), versions in history.joined_with.items():
        given = tuple(sorted((table, version) for table, version in versions.items() if table in chosen))
        published = history.published.get((name, target))
        if name == insert and given and published is not None and published.end is not None and published.end in ends:
            found.setdefault(given, []).append(published.end)
    return found


@contextmanager
def given_versions(spark: SparkSession, plan: Plan, home: Home, history: History, given: Given) -> Iterator[None]:
    """Within it, queries that are planned read the `given` versions of these tables."""
    for lookup in plan.lookups:
        if lookup.name in dict(given):
            provide_version(spark, home, lookup, dict(given)[lookup.name])
    try:
        yield
    finally:
        provide_for_verification(spark, plan, home, history)


def streamed_versions(lookup: Lookup, history: History) -> list[Validity]:
    """The versions of a table that the entries of a stream have used, each with the clocks of these entries.

    Raises InputError if no entry names one.
    """
    used = [(versions[lookup.name], clock) for clock, versions in history.versions if lookup.name in versions]
    changes = [(version, clock) for n, (version, clock) in enumerate(used) if not n or used[n - 1][0] != version]
    if not changes:
        raise InputError(f"no entry of the log says which version of table {lookup.name!r} its rows were joined with")
    begins = [-END_OF_TIME, *(clock for _, clock in changes[1:])]
    return [(version, a, b) for (version, _), a, b in zip(changes, begins, [*begins[1:], END_OF_TIME])]
