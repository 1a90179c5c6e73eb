"""Which windows a run means."""

from __future__ import annotations

from datetime import datetime, timezone
from types import SimpleNamespace

import pendulum
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.interval import interval_of_key, interval_of_run, named_interval

DAY = {
    "data_interval_start": datetime(2024, 6, 18, tzinfo=timezone.utc),
    "data_interval_end": datetime(2024, 6, 19, tzinfo=timezone.utc),
}


def test_parameters_win_then_the_key_then_the_data_interval() -> None:
    given = {"partition_key": "2024-06-17", **DAY}
    assert interval_of_run("2024-01-01", "2024-01-02", given) == ("2024-01-01", "2024-01-02")
    assert interval_of_run(None, None, given) == ("2024-06-17 00:00:00", "2024-06-18 00:00:00")
    assert interval_of_run("", "", DAY) == ("2024-06-18 00:00:00", "2024-06-19 00:00:00")


def test_a_data_interval_is_told_on_the_report_s_clock() -> None:
    assert interval_of_run(None, None, DAY, "Asia/Shanghai") == ("2024-06-18 08:00:00", "2024-06-19 08:00:00")


def test_a_data_interval_is_pendulum_s_in_a_real_run() -> None:
    start = pendulum.datetime(2024, 3, 30, 23, tz="UTC")
    run = {"data_interval_start": start, "data_interval_end": start.add(hours=23)}
    assert interval_of_run(None, None, run, "Europe/Berlin") == ("2024-03-31 00:00:00", "2024-04-01 00:00:00")


def test_a_run_that_names_no_windows_fails() -> None:
    moment = datetime(2024, 6, 18, tzinfo=timezone.utc)
    for context in ({}, {"data_interval_start": moment, "data_interval_end": moment}):
        assert named_interval(None, None, context) is None
        with pytest.raises(InputError, match="nothing names the windows"):
            interval_of_run(None, None, context)


def test_half_an_interval_fails() -> None:
    with pytest.raises(InputError, match="only end is given"):
        interval_of_run(None, "2024-06-18", DAY)


@pytest.mark.parametrize(
    "key, interval",
    [
        ("2024-06-18", ("2024-06-18 00:00:00", "2024-06-19 00:00:00")),
        ("2024-06-18T10:00", ("2024-06-18 09:59:59.999", "2024-06-18 10:00:00")),
        ("2024-06-18/2024-06-20", ("2024-06-18 00:00:00", "2024-06-20 00:00:00")),
    ],
)
def test_partition_keys(key: str, interval: tuple[str, str]) -> None:
    assert interval_of_key(key) == interval


@pytest.mark.parametrize(
    "key, interval",
    [
        ("2024-06-19T00:00:00", ("2024-06-18 23:59:59.999", "2024-06-19 00:00:00")),
        ("2024-06-18T10:00:00", ("2024-06-18 09:59:59.999", "2024-06-18 10:00:00")),
        ("2024-06-18", ("2024-06-18 00:00:00", "2024-06-19 00:00:00")),
    ],
)
def test_the_key_of_an_asset_event_names_a_window_or_a_day(key: str, interval: tuple[str, str]) -> None:
    run = SimpleNamespace(run_type="asset_triggered", partition_key=key)
    assert interval_of_run(None, None, {"partition_key": key, "dag_run": run}) == interval


def test_midnight_is_refused_since_timetables_write_days_like_that() -> None:
    for key in ("2024-06-18T00:00:00", "2024-06-18 00:00", "2024-06-18T00:00:00Z"):
        with pytest.raises(InputError, match=r"may mean a day.*write 2024-06-18 for the day"):
            interval_of_key(key)


def test_another_key_is_refused() -> None:
    with pytest.raises(InputError, match="the partition key names no windows: 'emea' is not a time"):
        interval_of_key("emea")
