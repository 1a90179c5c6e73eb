"""Windows of WEEKs begin on the day that the report names; Python's calendar knows which day that is."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from airflow_nrt.basics.durations import DAY, HOUR
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.home.identity.fingerprint import differences, fingerprint
from airflow_nrt.model.options.known import FIRST_DAY_OF_WEEK, WEEKDAYS
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.windows import Window
from airflow_nrt.sql.errors import SqlError
from tests.engine.reports import plan_of

WEEK_TO_DATE = "CUMULATE(TABLE visits, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' WEEK)"
NOW = parse_instant("2024-06-19 10:00")


def plan(place: Path, day: str | None, windows: str = WEEK_TO_DATE) -> Plan:
    first = "" if day is None else f"SET '{FIRST_DAY_OF_WEEK}' = '{day}';"
    tables = """CREATE TABLE visits (ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/visits', 'format' = 'json');
CREATE TABLE weeks (window_end TIMESTAMP(3), visits BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/weeks', 'format' = 'json');"""
    query = f"SELECT window_end, COUNT(*) FROM TABLE({windows}) GROUP BY window_start, window_end"
    return plan_of(place, first, tables, f"INSERT INTO weeks {query};")


def window(place: Path, day: str | None, windows: str = WEEK_TO_DATE) -> Window:
    return plan(place, day, windows).operators[0].window


def begin(window: Window) -> datetime:
    """The begin of the window that holds the middle of June 2024."""
    start = window.start(next(window.ends(window.slice_end(NOW))))
    return datetime.fromtimestamp(start / 1000, timezone.utc)


@pytest.mark.parametrize("day", [*WEEKDAYS, "Sunday", "MONDAY"])
def test_a_week_begins_on_this_day(tmp_path: Path, day: str) -> None:
    found = begin(window(tmp_path, day))
    assert WEEKDAYS[found.weekday()] == day.lower() and found.hour == 0
    tumbling = "TUMBLE(TABLE visits, DESCRIPTOR(ts), INTERVAL '2' WEEK, INTERVAL '6' HOUR)"
    found = begin(window(tmp_path, day, tumbling))
    assert WEEKDAYS[found.weekday()] == day.lower() and found.hour == 6


def test_without_a_day_they_are_those_of_the_epoch(tmp_path: Path) -> None:
    assert begin(window(tmp_path, None)).weekday() == datetime(1970, 1, 1).weekday()


def test_windows_of_days_stay_as_they_are(tmp_path: Path) -> None:
    days = "TUMBLE(TABLE visits, DESCRIPTOR(ts), INTERVAL '7' DAY)"
    assert window(tmp_path, "monday", days) == window(tmp_path, None, days)


def test_rolling_weeks_end_on_every_day(tmp_path: Path) -> None:
    rolling = window(tmp_path, "monday", "HOP(TABLE visits, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' WEEK)")
    ends = list(rolling.ends_between(NOW, NOW + 3 * DAY))
    assert [end - NOW for end in ends] == [14 * HOUR + n * DAY for n in range(3)]


def test_another_day_is_another_report(tmp_path: Path) -> None:
    before, after = (fingerprint(plan(tmp_path, day)) for day in ("sunday", "monday"))
    assert any(FIRST_DAY_OF_WEEK in text for text in differences(before, after))


def test_no_day(tmp_path: Path) -> None:
    with pytest.raises(SqlError, match=f"setting '{FIRST_DAY_OF_WEEK}': 'Montag' is none of 'monday', 'tuesday'"):
        plan(tmp_path, "Montag")
