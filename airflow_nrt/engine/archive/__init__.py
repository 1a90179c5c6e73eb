"""Archives of sources: where rows that were read are kept, and read again for a backfill or a verification.

The archive of a topic is files. A stream writes them (`keeper.py`), or others do. A source of files is its own archive:
the log lists its splits.
"""

from __future__ import annotations

from airflow_nrt.engine.archive.foreign_archive import ForeignArchive
from airflow_nrt.engine.archive.logged_splits import LoggedSplits
from airflow_nrt.engine.archive.own_archive import OwnArchive
from airflow_nrt.engine.archive.source_archive import SourceArchive
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.history import History
from airflow_nrt.model.plan import Plan, Source


def archive_of_source(plan: Plan, source: Source, history: History, home: Home) -> SourceArchive:
    """Where the rows of this source are read again."""
    if is_filled_by_others(source):
        return ForeignArchive(source)
    # A backfill before the first stream wrote no archive.
    if source.is_archived and history.is_streamed and not history.has_unread(source.name):
        return OwnArchive(source, history, home)
    return LoggedSplits(plan, source, history, home)


def is_filled_by_others(source: Source) -> bool:
    """Whether others write the source's archive."""
    return source.archive is not None and not source.archive.written
