"""Rows of a day that can't be read: counted from midnight (UTC) on, and too many of them are an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import DataError
from airflow_nrt.engine.driver.decide.actions import Batch, BatchResult
from airflow_nrt.engine.driver.decide.unreadable_rows import rows_of_day
from airflow_nrt.home.log.entries import RowsOfDay, SourceState
from tests.engine.reports import FEW, curve_insert, events_table, plan_of


def after(state: SourceState, limit: str, clock: int, rows: int, unreadable: int) -> RowsOfDay:
    table = events_table(source__monitor_interval="1 s", source__rejected__limit=limit)
    plan = plan_of(Path("/nowhere"), table, curve_insert("TUMBLE(INTERVAL '1' HOUR)", FEW))
    batch = Batch(plan.source("events"), clock, {}, {}, ends=False, is_whole=False)
    return rows_of_day(state, batch, BatchResult(1, row_count=rows, unreadable=unreadable, example="a.csv: it is none"))


def test_a_day_begins_anew() -> None:
    first = after(SourceState(), "2", 20_000 * DAY, 10, 2)
    assert first == RowsOfDay(20_000, 10, 2)
    with pytest.raises(DataError, match="3 of 11 rows that came today"):
        after(SourceState(of_day=first), "2", 20_001 * DAY - 1, 1, 1)
    assert after(SourceState(of_day=first), "2", 20_001 * DAY, 1, 1) == RowsOfDay(20_001, 1, 1)


def test_a_share_or_a_number() -> None:
    of_day = RowsOfDay(0, 9_000, 3)
    assert after(SourceState(of_day=of_day), "0.1 %", 5, 1_000, 7).unreadable == 10
    with pytest.raises(DataError, match=r"11 of 10,000 .* than 'source.rejected.limit' = '10, 0.1 %' allows"):
        after(SourceState(of_day=of_day), "10, 0.1 %", 5, 1_000, 8)
    assert after(SourceState(of_day=of_day), "11, 0.1 %", 5, 1_000, 8).unreadable == 11


def test_a_higher_limit_is_a_way_out_of_a_few() -> None:
    """Of a table that is declared otherwise than its rows are, it is none."""
    with pytest.raises(DataError, match=r"A home goes on with a higher limit, and 'csv.ignore-parse-errors' = 'true'"):
        after(SourceState(), "1", 5, 10, 4)
    with pytest.raises(DataError, match=r"Correct what writes them, or the columns of the table\.$"):
        after(SourceState(), "1", 5, 10, 5)


def test_a_batch_without_one_is_no_error() -> None:
    """A limit that was lowered is no reason to stop at rows that were rejected before."""
    assert after(SourceState(of_day=RowsOfDay(0, 10, 9)), "1", 5, 1, 0) == RowsOfDay(0, 11, 9)
