"""What a home that is older goes on without: options that have come with a default of their own, and NOT NULL keys."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import SOURCE_OPTIONS
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.tables import Table

_OF_OLDER = {name: one.of_older for name, one in SOURCE_OPTIONS.items() if one.of_older is not None}
_KEYS = "primary-key.not-null"
"""Says that a NULL in a column of a PRIMARY KEY never came into the home's results."""


def known_now() -> tuple[str, ...]:
    """What a home knows that is made now."""
    return (*_OF_OLDER, _KEYS)


def with_older_defaults(plan: Plan, knows: Collection[str]) -> Plan:
    """The plan as it runs in a home that knows these options: its tables have the older values of others.

    Its sinks may have rows with NULL in a key, and take more of them; but for databases, which never took one.
    """
    plan = replace(plan, by_entry=plan.by_entry and with_older_defaults(plan.by_entry, knows))
    if _KEYS not in knows:
        plan = replace(plan, inserts=tuple(map(_with_null_keys, plan.inserts)))
    older = {name: value for name, value in _OF_OLDER.items() if name not in knows}
    if not older:
        return plan

    def of_table(table: Table) -> Table:
        taken = {name: value for name, value in older.items() if name in connector_of(table).options}
        return replace(table, options={**taken, **table.options}) if taken else table

    def of_source(source: Source) -> Source:
        archive = source.archive
        if archive is not None:
            archive = replace(archive, insert=replace(archive.insert, sink=of_table(archive.insert.sink)))
        return replace(source, table=of_table(source.table), archive=archive)

    return replace(
        plan,
        sources=tuple(of_source(one) for one in plan.sources),
        lookups=tuple(replace(one, table=of_table(one.table)) for one in plan.lookups),
    )


def _with_null_keys(insert: Insert) -> Insert:
    return insert if insert.sink.connector == "jdbc" else insert.with_null_keys
