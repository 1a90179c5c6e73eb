"""How many rows of a day could not be read, and when they are too many."""

from __future__ import annotations

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.driver.decide.actions import Batch, BatchResult
from airflow_nrt.home.log.entries import RowsOfDay, SourceState
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import REJECTED_LIMIT
from airflow_nrt.model.rejected_limit import rejected_limit


def rows_of_day(state: SourceState, batch: Batch, result: BatchResult) -> RowsOfDay:
    """Those of the source after a batch, if it has a limit.

    Raises DataError if the batch has rows that can't be read, and they are more than the limit allows.
    """
    table = batch.source.table
    limit = rejected_limit(table)
    if not limit:
        return RowsOfDay()
    day = batch.clock // DAY
    before = state.of_day if state.of_day.day == day else RowsOfDay(day)
    rows, unreadable = before.rows + result.row_count, before.unreadable + result.unreadable
    if result.unreadable and not limit.allows(unreadable, rows):
        ignore = connector_of(table).leniency(table)
        without = f", and '{ignore}' = 'true' reads such fields as NULL, without a limit" if ignore else ""
        raise DataError(
            f"{unreadable:,} of {rows:,} rows that came today (UTC) into table {table.name} can't be read, more than "
            f"'{REJECTED_LIMIT}' = '{limit}' allows; one of them: {result.example}. Correct what writes them. A home "
            f"goes on with a higher limit{without}"
        )
    return RowsOfDay(day, rows, unreadable)
