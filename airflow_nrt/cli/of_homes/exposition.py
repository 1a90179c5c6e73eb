"""The state of homes as metrics in Prometheus' text format, for the textfile collector of its node exporter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from airflow_nrt.basics.instants import END_OF_TIME, LAST_MINUTE
from airflow_nrt.home.heartbeat import RUNNING, STARTING
from airflow_nrt.home.status import Pulse

_SECOND = 1000


@dataclass(frozen=True)
class _Metric:
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
    _Metric("running", "gauge", "1 if the driver runs.", lambda one: float(one.driver == RUNNING)),
    _Metric("starting", "gauge", "1 if a driver begins.", lambda one: float(one.driver == STARTING)),
    _Metric("failing", "gauge", "1 if something keeps the driver from its work.", lambda one: float(bool(one.error))),
    _Metric("log_entry", "gauge", "The number of the last entry of the log.", lambda one: one.entry),
    _Metric("restarts_total", "counter", "Drivers after the first one.", lambda one: one.restarts),
    _Metric("windows_published", "gauge", "Windows that are published in all tables.", lambda one: one.windows),
    _Metric("windows_decided", "gauge", "The same of what the log has decided.", lambda one: one.decided_windows),
    _Metric(
        "last_window_seconds",
        "gauge",
        "All windows that end up to this are published, on the report's clock, since 1970.",
        lambda one: _seconds(one.last_window),
    ),
    _Metric("lag_seconds", "gauge", "How far the watermark is before the report's clock.", _lag),
    _Metric("rows_total", "counter", "Rows that were read.", lambda one: one.rows),
    _Metric("late_rows_total", "counter", "Late rows.", lambda one: one.late),
    _Metric("dropped_rows_total", "counter", "Late rows that count in no window.", lambda one: one.dropped),
    _Metric("rejected_rows_total", "counter", "Rows that are in no result.", lambda one: one.rejected),
    _Metric("null_fields_total", "counter", "Fields that are read as NULL.", lambda one: one.null_fields),
)


def exposition(homes: Mapping[str, Pulse | None]) -> str:
    r"""All metrics of these homes, by path; of one that can't be read, None, only that it is so.

    >>> print(exposition({"/homes/a": None}), end="")
    # HELP airflow_nrt_readable 1 if the home can be read.
    # TYPE airflow_nrt_readable gauge
    airflow_nrt_readable{home="/homes/a"} 0
    """
    lines = list(_lines("readable", "gauge", "1 if the home can be read.", homes, lambda one: float(one is not None)))
    read = {path: pulse for path, pulse in homes.items() if pulse is not None}
    for metric in METRICS:
        lines += _lines(metric.name, metric.kind, metric.meaning, read, metric.of)
    return "".join(f"{line}\n" for line in lines)


def _lines(
    name: str, kind: str, meaning: str, homes: Mapping[str, Pulse | None], of: Callable[..., float | None]
) -> Iterable[str]:
    values = {path: value for path, pulse in homes.items() if (value := of(pulse)) is not None}
    if not values:
        return
    yield f"# HELP airflow_nrt_{name} {meaning}"
    yield f"# TYPE airflow_nrt_{name} {kind}"
    for path, value in values.items():
        pulse = homes[path]
        report = f',report="{_escaped(pulse.report)}"' if pulse is not None else ""
        yield f'airflow_nrt_{name}{{home="{_escaped(path)}"{report}}} {value:.15g}'


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
