"""Which rows that can't be read a source rejects: an option of its own decides, and where it is not set, the limit."""

from __future__ import annotations

from enum import Enum, auto

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.input.rejected_limit import rejected_limit
from airflow_nrt.model.options.known import NULL_ROWTIME, read_option, source_option
from airflow_nrt.model.tables import Table


class Rejects(Enum):
    """How many rows of a kind are rejected before the stream stops."""

    NONE = auto()
    WITHIN_LIMIT = auto()
    ALL = auto()


def rejects_malformed(table: Table) -> Rejects:
    """Of malformed lines. Where all are rejected, a malformed field is read as NULL; else it rejects its line."""
    connector = connector_of(table)
    ignore = connector.leniency(table)
    if ignore is not None and read_option(table.options, connector.options, ignore):
        return Rejects.ALL
    return _limited(table, ignore not in table.options and connector.stays_malformed(table))


def rejects_timeless(table: Table) -> Rejects:
    """Of rows without a rowtime."""
    if source_option(table.options, NULL_ROWTIME) == "skip":
        return Rejects.ALL
    return _limited(table, NULL_ROWTIME not in table.options)


def _limited(table: Table, is_open: bool) -> Rejects:
    return Rejects.WITHIN_LIMIT if is_open and rejected_limit(table) else Rejects.NONE
