"""The windows of a run: from its parameters, its partition key, or its data interval."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pendulum

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant, from_datetime, parse_instant
from airflow_nrt.model.zones import zone_rules

if TYPE_CHECKING:
    from airflow_nrt.usecases.requests.facts import PlannedReport


def interval_of_run(
    start: str | None, end: str | None, context: Mapping[str, Any], zone: str = "UTC"
) -> tuple[str, str]:
    """As `named_interval`; raises InputError also if nothing names an interval."""
    found = named_interval(start, end, context, zone)
    if found is None:
        raise InputError(
            "nothing names the windows: this run has no partition key, and its data interval is empty, as that of a "
            "run that is triggered by hand. Start a backfill of the DAG instead, or trigger it with the configuration "
            '{"nrt": {"start": "2024-06-18 00:00", "end": "2024-06-19 00:00"}}. Else give the task start and end, or '
            "the DAG a schedule with data intervals (CronDataIntervalTimetable, DeltaDataIntervalTimetable)"
        )
    return found


def named_interval(
    start: str | None, end: str | None, context: Mapping[str, Any], zone: str = "UTC"
) -> tuple[str, str] | None:
    """The bounds of the windows' ends, on the report's clock, whose zone is `zone`; None if nothing names them.

    Raises InputError if only one of the parameters is given, or for a partition key that is neither time nor interval.
    """
    if start and end:
        return start, end
    if start or end:
        raise InputError(f"start and end belong together: only {'start' if start else 'end'} is given")
    key = context.get("partition_key") or getattr(context.get("dag_run"), "partition_key", None)
    if key:
        # The key of an asset event is a window's end, also at midnight; that of a timetable may be a day.
        return interval_of_event(key) if _comes_from_asset(context) else interval_of_key(key)
    first, last = context.get("data_interval_start"), context.get("data_interval_end")
    if first is not None and last is not None and last > first:
        return _on_clock(first, zone), _on_clock(last, zone)
    return None


def interval_of_key(key: str) -> tuple[str, str]:
    """`START/END`; a date means that day; a time means the one window that ends then. Raises InputError.

    Midnight is refused, because timetables of Airflow write a day in the same way.
    """
    first, separator, last = key.partition("/")
    try:
        if separator:
            return _shown(_read(first)), _shown(_read(last))
        at = _read(key)
    except ValueError as wrong:
        raise InputError(f"the partition key names no windows: {wrong}, or START/END") from None
    if key.strip() == at.to_date_string():
        return _shown(at), _shown(at.add(days=1))
    if at == at.start_of("day"):
        raise InputError(
            f"the partition key {key!r} may mean a day, or the window that ends at midnight: write "
            f"{at.to_date_string()} for the day (a CronPartitionTimetable does so with key_format='%Y-%m-%d'), or "
            "START/END"
        )
    return _window(at)


def interval_of_event(key: str) -> tuple[str, str]:
    """As `interval_of_key`, for the key of an asset event (see `dispatcher_dag`): midnight is a window's end."""
    with suppress(ValueError):
        if ":" in key:
            return _window(_read(key))
    return interval_of_key(key)


def _comes_from_asset(context: Mapping[str, Any]) -> bool:
    kind = getattr(context.get("dag_run"), "run_type", None)
    return str(getattr(kind, "value", kind)) == "asset_triggered"


def _window(end: pendulum.DateTime) -> tuple[str, str]:
    return _shown(end.subtract(microseconds=1000)), _shown(end)


def zone_of_clock(report: PlannedReport, context: Mapping[str, Any]) -> str:
    """The zone of a report's clock for a data interval, if the task has none.

    The report's own, if it has one. Rowtimes without a zone are on the clock of the timetable.
    """
    if report.clock is not None:
        return report.clock
    dag = context.get("dag")
    zone = getattr(getattr(dag, "timetable", None), "timezone", None) or getattr(dag, "timezone", None) or "UTC"
    return str(getattr(zone, "name", zone))


def _on_clock(moment: datetime, zone: str) -> str:
    return _shown(pendulum.instance(moment).astimezone(zone_rules(zone)).naive())


def _read(text: str) -> pendulum.DateTime:
    return pendulum.from_timestamp(parse_instant(text) / 1000)


def _shown(at: datetime) -> str:
    return format_instant(from_datetime(at))
