"""A day's last window gives the day, whatever the clocks do."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import pairwise
from types import SimpleNamespace

import pytest
from airflow.serialization.decoders import decode_partition_mapper
from airflow.serialization.encoders import encode_partition_mapper

from airflow_nrt.assets.day import NrtDayMapper
from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.operators.interval import interval_of_run

UTC = timezone.utc


def days(mapper: NrtDayMapper, first: datetime, until: datetime, step: timedelta = timedelta(minutes=10)) -> list[str]:
    """By the windows that end between: `DAY at END`."""
    found, end = [], first
    while end <= until:
        key = end.strftime("%Y-%m-%dT%H:%M:%S")
        found += [f"{day} at {key}" for day in mapper.to_downstream(key)]
        end += step
    return found


def test_one_window_of_a_day_gives_its_day() -> None:
    found = days(NrtDayMapper(), datetime(2024, 6, 18, 0, 10), datetime(2024, 6, 20, 12))
    assert found == ["2024-06-18 at 2024-06-19T00:00:00", "2024-06-19 at 2024-06-20T00:00:00"]


def test_days_may_end_at_another_time() -> None:
    found = days(NrtDayMapper(ends_at="08:00"), datetime(2024, 6, 18, 8, 10), datetime(2024, 6, 19, 23))
    assert found == ["2024-06-18T08:00:00/2024-06-19T08:00:00 at 2024-06-19T08:00:00"]


@pytest.mark.parametrize(
    ("zone", "first", "bounds"),
    [
        # Clocks go forward on 2024-03-31: the day has 23 hours.
        ("Europe/Berlin", "2024-03-30", ["2024-03-29T23:00:00", "2024-03-30T23:00:00", "2024-03-31T22:00:00"]),
        # Clocks go back on 2024-10-27: the day has 25 hours.
        ("Europe/Berlin", "2024-10-26", ["2024-10-25T22:00:00", "2024-10-26T22:00:00", "2024-10-27T23:00:00"]),
        # No clock shows midnight of 2024-04-26 in Cairo: it goes from 23:59 to 01:00.
        ("Africa/Cairo", "2024-04-25", ["2024-04-24T22:00:00", "2024-04-25T22:00:00", "2024-04-26T21:00:00"]),
        # Midnight of 2024-11-03 is shown once in Havana, and one hour later again: the first one ends the day.
        ("America/Havana", "2024-11-02", ["2024-11-02T04:00:00", "2024-11-03T04:00:00", "2024-11-04T05:00:00"]),
    ],
)
def test_days_of_a_zone_over_windows_in_utc(zone: str, first: str, bounds: list[str]) -> None:
    day = datetime.fromisoformat(first)
    found = days(NrtDayMapper(timezone=zone), day + timedelta(hours=12), day + timedelta(hours=56))
    assert found == [f"{begin}/{end} at {end}" for begin, end in pairwise(bounds)]


@pytest.mark.parametrize(
    ("mapper", "end"),
    [
        (NrtDayMapper(), "2024-06-19T00:00:00"),
        (NrtDayMapper(timezone="Europe/Berlin"), "2024-06-18T22:00:00"),
        (NrtDayMapper(ends_at="08:00"), "2024-06-19T08:00:00"),
    ],
)
def test_the_key_names_the_windows_of_the_day_that_is_complete(mapper: NrtDayMapper, end: str) -> None:
    (key,) = mapper.to_downstream(end)
    run = SimpleNamespace(run_type="asset_triggered", partition_key=key)
    interval = interval_of_run(None, None, {"partition_key": key, "dag_run": run})
    last = parse_instant(end)
    assert tuple(map(parse_instant, interval)) == (last - DAY, last)


def test_a_run_s_date_is_the_begin_of_its_day() -> None:
    assert NrtDayMapper().to_partition_date("2024-06-18") == datetime(2024, 6, 18, tzinfo=UTC)
    berlin = NrtDayMapper(timezone="Europe/Berlin", ends_at="08:00")
    (key,) = berlin.to_downstream("2024-06-19T06:00:00")
    assert berlin.to_partition_date(key) == datetime(2024, 6, 18, 6, tzinfo=UTC)


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="no time zone 'Mars'"):
        NrtDayMapper(timezone="Mars")
    with pytest.raises(ValueError, match="like '08:00', not 'noon'"):
        NrtDayMapper(ends_at="noon")
    with pytest.raises(ValueError, match="'monday' is not a time"):
        NrtDayMapper().to_downstream("monday")


def test_it_survives_its_way_through_a_serialized_dag(monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow import plugins_manager

    from airflow_nrt.plugins.nrt import NrtPlugin

    monkeypatch.setattr(plugins_manager, "_get_plugins", lambda: ([NrtPlugin()], {}))
    plugins_manager.get_partition_mapper_plugins.cache_clear()
    again = decode_partition_mapper(encode_partition_mapper(NrtDayMapper(timezone="Europe/Berlin", ends_at="08:00")))
    assert isinstance(again, NrtDayMapper)
    assert (again.timezone, again.ends_at) == ("Europe/Berlin", "08:00")
