"""Options that have come with a default of their own: a home that is older goes on as it did without them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import SOURCE_OPTIONS
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.tables import Table

_OF_OLDER = {name: one.of_older for name, one in SOURCE_OPTIONS.items() if one.of_older is not None}


def known_now() -> tuple[str, ...]:
    """The options that a home knows that is made now."""
    return tuple(_OF_OLDER)


def with_older_defaults(plan: Plan, knows: Collection[str]) -> Plan:
    """The plan as it runs in a home that knows these options: its tables have the older values of others."""
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
