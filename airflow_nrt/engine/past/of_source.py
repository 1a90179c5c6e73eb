"""How the past of a source is read again."""

from __future__ import annotations

from airflow_nrt.engine.past.archived import ArchivedRows
from airflow_nrt.engine.past.foreign import ForeignArchive
from airflow_nrt.engine.past.past import Past
from airflow_nrt.engine.past.splits import LoggedSplits
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history import History
from airflow_nrt.model.plan import Source


def past_of(source: Source, history: History, home: Home) -> Past:
    if is_kept_by_others(source):
        return ForeignArchive(source)
    # A backfill before the first stream wrote no archive.
    if source.is_archived and history.batches and not history.has_unread(source.name):
        return ArchivedRows(source, history, home)
    return LoggedSplits(source, history)


def is_kept_by_others(source: Source) -> bool:
    """Whether the past is an archive that others fill."""
    return source.archive is not None and not source.archive.written
