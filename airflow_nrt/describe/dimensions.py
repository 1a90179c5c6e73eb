"""A dimension table in words: when a stream looks for its next version, and which version a batch uses."""

from __future__ import annotations

from typing import Any

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.lookups import uses_newest
from airflow_nrt.model.plan import Lookup


def dimension_in_words(lookup: Lookup) -> dict[str, Any]:
    table, connector = lookup.table, connector_of(lookup.table)
    every = connector.looks_every(table)
    newest = uses_newest(table.options)
    return {
        "name": lookup.name,
        "path": connector.place(table),
        "format": table.format,
        "columns": list(lookup.columns),
        "new_versions": f"looked for every {format_duration(every)}" if every else "looked for before each batch",
        "batch_uses": "the newest version" if newest else "the version that the stream has used for each row",
    }
