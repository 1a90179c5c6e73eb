"""The state of homes as metrics in Prometheus' text format, for the textfile collector of its node exporter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from airflow_nrt.home.metrics import METRICS
from airflow_nrt.home.status import Pulse


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
