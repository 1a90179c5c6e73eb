"""How many rows of a source that can't be read are rejected in a day, before the stream stops.

A live source rejects what no option of its own decides: a malformed line, a malformed field with its line, a row
without a rowtime. A source of changes does not: without one of its changes, later results of its key are wrong.
"""

from __future__ import annotations

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import REJECTED_LIMIT
from airflow_nrt.model.options.rows_and_share import RowsAndShare
from airflow_nrt.model.tables import Table

OF_LIVE_SOURCES = RowsAndShare(100, "0.1")
"""A producer that begins to write garbage is seen after 100 rows; a thousandth is the noise of a large topic."""
NO_ROW = RowsAndShare()


def rejected_limit(table: Table) -> RowsAndShare:
    """The limit of a table as a source."""
    connector, text = connector_of(table), table.options.get(REJECTED_LIMIT)
    if text is not None:
        return RowsAndShare.read(text)
    may_lack_rows = REJECTED_LIMIT in connector.options and not table.is_changelog
    return OF_LIVE_SOURCES if may_lack_rows and connector.is_live(table) else NO_ROW
