"""Which partitions can hold the rows of an interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant, parse_instant
from airflow_nrt.basics.partition_pattern import NO_VALUE, PartitionTime, check_pattern
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.tables import Table

HOURLY = PartitionTime("$ds $hh:00:00", ("ds", "hh"))
DAILY = PartitionTime("$ds", ("ds",))
TIMES = st.integers(-30 * 365 * DAY, 60 * 365 * DAY)


def folder(at: int) -> dict[str, str]:
    day, clock = format_instant(at - at % HOUR).split()
    return {"ds": day, "hh": clock[:2]}


@given(TIMES, TIMES, st.integers(1, 3 * DAY))
def test_a_partition_by_event_time_is_read_iff_a_row_of_it_can_lie_in_the_interval(
    row: int, start: int, span: int
) -> None:
    for time in (HOURLY, DAILY):
        begins = time.time_of(folder(row))
        assert begins <= row < begins + time.length
        overlaps = begins < start + span and start < begins + time.length
        assert time.may_hold(folder(row), start, start + span) == overlaps


@given(TIMES, st.integers(0, 6 * HOUR), st.integers(1, DAY))
def test_a_row_that_came_within_the_bound_is_found(rowtime: int, delay: int, span: int) -> None:
    arrivals = PartitionTime("$ds $hh:00:00", ("ds", "hh"), max_delay=delay)
    assert arrivals.may_hold(folder(rowtime + delay), rowtime, rowtime + span)
    assert arrivals.may_hold(folder(rowtime), rowtime, rowtime + span)


def test_arrivals_behind_the_bound_are_not_read() -> None:
    arrivals = PartitionTime("$ds $hh:00:00", ("ds", "hh"), max_delay=HOUR)
    noon = parse_instant("2024-06-18 12:00")
    read = [hour for hour in range(24) if arrivals.may_hold(folder(noon - 12 * HOUR + hour * HOUR), noon, noon + HOUR)]
    assert read == [12, 13]


@given(TIMES, st.integers(1, 3 * DAY))
def test_expected_partitions_are_those_that_may_hold_rows(start: int, span: int) -> None:
    expected = list(HOURLY.expected(start, start + span))
    around = range(start - start % HOUR - 2 * HOUR, start + span + 2 * HOUR, HOUR)
    assert expected == [at for at in around if HOURLY.may_hold(folder(at), start, start + span)]


def test_a_minute_place_lasts_to_the_end_of_its_hour() -> None:
    buckets = PartitionTime("$ds $hh:$mm:00", ("ds", "hh", "mm"))
    values = {"ds": "2024-06-18", "hh": "12", "mm": "30"}
    assert buckets.may_hold(values, parse_instant("2024-06-18 12:45"), parse_instant("2024-06-18 12:46"))
    assert buckets.length == HOUR


def test_values_that_are_no_time() -> None:
    with pytest.raises(InputError) as wrong:
        HOURLY.time_of({"ds": "yesterday", "hh": "12"})
    assert "the partition ds=yesterday/hh=12 has no time: pattern '$ds $hh:00:00'" in str(wrong.value)


@pytest.mark.parametrize("values", [{"ds": "2024-06-18", "hh": NO_VALUE}, {"ds": "2024-06-18"}, {}])
def test_a_partition_without_a_time_can_hold_any_row(values: dict[str, str]) -> None:
    assert not HOURLY.is_of_time(values) and HOURLY.may_hold(values, 0, 1)
    assert HOURLY.is_of_time({**folder(0), "shop": NO_VALUE})


def test_a_pattern_uses_partition_keys_only() -> None:
    check_pattern("$ds $hh:00:00", ("ds", "hh"))
    with pytest.raises(InputError, match=r"uses \$hh, but the table is partitioned by \(ds\)"):
        check_pattern("$ds $hh:00:00", ("ds",))


def table(**options: str) -> Table:
    return Table("t", (), "filesystem", partition_keys=("ds", "hh"), options=options)


def test_a_table_says_how_its_partitions_lie_in_time() -> None:
    pattern = {"partition.time-extractor.timestamp-pattern": "$ds $hh:00:00"}
    arrival = {"partition.time": "arrival"}
    assert partition_time(table()) is None
    assert partition_time(table(**pattern)) == HOURLY
    bounded = partition_time(table(**pattern, **arrival, **{"partition.max-delay": "90 min"}))
    assert bounded == PartitionTime("$ds $hh:00:00", ("ds", "hh"), 90 * MINUTE)
    with pytest.raises(InputError, match=r"partitions by arrival need 'partition.max-delay'"):
        partition_time(table(**pattern, **arrival))


@pytest.mark.parametrize(
    ("pattern", "values", "first", "last"),
    [
        ("$month-01", {"month": "2024-02"}, "2024-02-01 00:00:00", "2024-02-29 23:59:59"),
        ("$y-$m-01", {"y": "2024", "m": "12"}, "2024-12-01 00:00:00", "2024-12-31 23:59:59"),
        ("$y-01-01", {"y": "2024"}, "2024-01-01 00:00:00", "2024-12-31 23:59:59"),
    ],
)
def test_partitions_longer_than_a_day(pattern: str, values: dict[str, str], first: str, last: str) -> None:
    time = PartitionTime(pattern, tuple(values))
    for text in (first, last):
        row = parse_instant(text)
        assert time.may_hold(values, row, row + 1)
        assert list(time.expected(row, row + 1)) == [time.time_of(values)] == [parse_instant(first)]
