"""Which windows a run means: its parameters, its partition key, or its data interval."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from airflow_nrt.report.errors import InputError
from airflow_nrt.report.instants import format_instant, from_datetime, parse_instant

_DAY_MS = 86_400_000


def interval_of_run(
    start: str | None, end: str | None, context: Mapping[str, Any], zone: str = "UTC"
) -> tuple[str, str]:
    """Start and end of the windows' ends, on the report's clock, whose zone is `zone`.

    Raises InputError if only one of the parameters is there, or if nothing names an interval.
    """
    if start and end:
        return start, end
    if start or end:
        raise InputError(f"start and end belong together: only {'start' if start else 'end'} is given")
    key = context.get("partition_key") or getattr(context.get("dag_run"), "partition_key", None)
    if key:
        return interval_of_key(key)
    first, last = context.get("data_interval_start"), context.get("data_interval_end")
    if first is not None and last is not None and last > first:
        return _on_clock(first, zone), _on_clock(last, zone)
    raise InputError(
        "nothing names the windows: this run has no partition key, and its data interval is empty. Give the task start "
        "and end, or the DAG a schedule with data intervals (CronDataIntervalTimetable, DeltaDataIntervalTimetable)"
    )


def interval_of_key(key: str) -> tuple[str, str]:
    """`START/END`; a date means that day; a time means the one window that ends then. Raises InputError.

    Midnight is refused: the timetables of Airflow write a day like that, too.
    """
    first, separator, last = key.partition("/")
    try:
        if separator:
            return format_instant(parse_instant(first)), format_instant(parse_instant(last))
        at = parse_instant(key)
    except ValueError as wrong:
        raise InputError(f"the partition key names no windows: {wrong}, or START/END") from None
    day = format_instant(at)[: len("2024-06-18")]
    if key.strip() == day:
        return format_instant(at), format_instant(at + _DAY_MS)
    if at % _DAY_MS == 0:
        raise InputError(
            f"the partition key {key!r} may mean a day, or the window that ends at midnight: write {day} for the day "
            "(a CronPartitionTimetable does so with key_format='%Y-%m-%d'), or START/END"
        )
    return format_instant(at - 1), format_instant(at)


def _on_clock(moment: datetime, zone: str) -> str:
    # Airflow's own moments are pendulum's, whose arithmetic is not that of the standard library.
    plain = datetime.fromtimestamp(moment.timestamp(), ZoneInfo(zone))
    return format_instant(from_datetime(plain.replace(tzinfo=None)))
