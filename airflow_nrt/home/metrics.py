"""The state of a home as numbers for monitoring: a file for Prometheus has them, and the metrics of Airflow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airflow_nrt.basics.instants import END_OF_TIME, LAST_MINUTE
from airflow_nrt.home.heartbeat import RUNNING, STARTING
from airflow_nrt.home.status import Pulse

_SECOND = 1000


@dataclass(frozen=True)
class Metric:
    """`of` gives its value for a home, None where there is none."""

    name: str
    kind: str
    meaning: str
    of: Callable[[Pulse], float | None]


def _seconds(ms: int | None) -> float | None:
    return None if ms is None or ms >= LAST_MINUTE else ms / _SECOND


def _lag(pulse: Pulse) -> float | None:
    return None if pulse.watermark == END_OF_TIME else _seconds(pulse.lag)


METRICS = (
    Metric("running", "gauge", "1 if the driver runs.", lambda one: float(one.driver == RUNNING)),
    Metric("starting", "gauge", "1 if a driver begins.", lambda one: float(one.driver == STARTING)),
    Metric("failing", "gauge", "1 if something keeps the driver from its work.", lambda one: float(bool(one.error))),
    Metric("log_entry", "gauge", "The number of the last entry of the log.", lambda one: one.entry),
    Metric("restarts_total", "counter", "Drivers after the first one.", lambda one: one.restarts),
    Metric("windows_published", "gauge", "Windows that are published in all tables.", lambda one: one.windows),
    Metric("windows_decided", "gauge", "The same of what the log has decided.", lambda one: one.decided_windows),
    Metric(
        "last_window_seconds",
        "gauge",
        "All windows that end up to this are published, on the report's clock, since 1970.",
        lambda one: _seconds(one.last_window),
    ),
    Metric("lag_seconds", "gauge", "How far the watermark is before the report's clock.", _lag),
    Metric("rows_total", "counter", "Rows that were read.", lambda one: one.rows),
    Metric("late_rows_total", "counter", "Late rows.", lambda one: one.late),
    Metric("dropped_rows_total", "counter", "Late rows that count in no window.", lambda one: one.dropped),
    Metric("rejected_rows_total", "counter", "Rows that are in no result.", lambda one: one.rejected),
    Metric("null_fields_total", "counter", "Fields that are read as NULL.", lambda one: one.null_fields),
    Metric(
        "unread_files",
        "gauge",
        "Files that came into directories after these were closed, and are not read.",
        lambda one: sum(one.closed_files.values()),
    ),
)
