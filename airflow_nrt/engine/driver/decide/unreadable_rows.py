"""How many rows of a day could not be read, and when they are too many."""

from __future__ import annotations

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.driver.decide.actions import Batch, BatchResult
from airflow_nrt.home.log.entries import RowsOfDay, SourceState
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.input.rejected_limit import rejected_limit
from airflow_nrt.model.options.known import REJECTED_LIMIT


def rows_of_day(state: SourceState, batch: Batch, result: BatchResult) -> RowsOfDay:
    """Those of the source after a batch, if it has a limit.

    Raises DataError if the batch has rows that can't be read, and they are more than the limit allows.
    """
    table = batch.source.table
    limit = rejected_limit(table)
    if exceeds_limit(state, batch, result.row_count, result.unreadable):
        after = _after(state, batch, result.row_count, result.unreadable)
        ignore = connector_of(table).leniency(table)
        without = f", and '{ignore}' = 'true' reads such fields as NULL, without a limit" if ignore else ""
        # A limit is no way out of a table that is declared otherwise than its rows are.
        higher = f" A home goes on with a higher limit{without}" if 2 * after.unreadable < after.rows else ""
        raise DataError(
            f"{after.unreadable:,} of {after.rows:,} rows that came today (UTC) into table {table.name} can't be read, "
            f"more than '{REJECTED_LIMIT}' = '{limit}' allows; one of them: {result.example}. Correct what writes "
            f"them, or the columns of the table.{higher}"
        )
    return _after(state, batch, result.row_count, result.unreadable) if limit else RowsOfDay()


def exceeds_limit(state: SourceState, batch: Batch, rows: int, unreadable: int) -> bool:
    """Whether a batch of so many rows has some that can't be read, and they are more than the limit allows."""
    after = _after(state, batch, rows, unreadable)
    return unreadable > 0 and not rejected_limit(batch.source.table).allows(after.unreadable, after.rows)


def _after(state: SourceState, batch: Batch, rows: int, unreadable: int) -> RowsOfDay:
    day = batch.clock // DAY
    before = state.of_day if state.of_day.day == day else RowsOfDay(day)
    return RowsOfDay(day, before.rows + rows, before.unreadable + unreadable)
