"""Why the past of a changed report can't be computed beside the report that counts."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.home.changes.past import Past
from airflow_nrt.home.log.log import Log
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Plan


def obstacles(log: Log, made_for: Plan, plan: Plan) -> Iterator[str]:
    """A sentence for each obstacle. Nothing is asked but the log and the state of files. Raises HomeError."""
    names = {insert.name for insert in plan.written}
    for insert in made_for.written:
        if insert.name not in names:
            yield f"insert into {insert.name} is gone: keep it, with its table"
    past, before = Past(log, made_for, plan), {source.name: source.table for source in made_for.sources}
    for source in plan.sources:
        known = before.get(source.name)
        if known is None or connector_of(known).place(known) != connector_of(source.table).place(source.table):
            # What was not read before is read from its beginning.
            continue
        lacks = past.lacking(source.name)
        if lacks is not None:
            yield f"{lacks}: the past of {source.name} can't be read again"
