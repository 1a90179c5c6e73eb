"""Statements, hints, settings and options that have no effect here, and what has it instead."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import REPORT_OPTIONS, find
from airflow_nrt.model.plan import Plan


def without_effect(plan: Plan) -> dict[str, str]:
    """The reasons, by statement, hint, setting or option of a table."""
    return dict(_found(plan))


def _found(plan: Plan) -> Iterator[tuple[str, str]]:
    yield from plan.idle
    for key, _ in plan.settings:
        option = find(key, REPORT_OPTIONS)
        if option is not None and option.idle:
            yield f"setting {key!r}", option.idle
    for table in (*plan.tables_read, *(insert.sink for insert in plan.inserts)):
        known = connector_of(table).options
        for name in table.options:
            option = find(name, known)
            if option is not None and option.idle:
                yield f"table {table.name!r}, option {name!r}", option.idle
