"""The state of a report among the metrics of Airflow (StatsD, OpenTelemetry), while a task supervises it."""

from __future__ import annotations

import logging
import re

from airflow_nrt.airflow_features import gauges
from airflow_nrt.home.metrics import METRICS
from airflow_nrt.home.status import Pulse

log = logging.getLogger(__name__)


def send_metrics(pulse: Pulse) -> None:
    """Sends each number as a gauge `nrt.METRIC.REPORT`, with the tags `report` and `home`.

    StatsD has no tags by itself, so that the name has the report. What can't be sent ends no task.
    """
    report = re.sub(r"[^A-Za-z0-9_-]", "_", pulse.report)
    try:
        gauge = gauges()
        for metric in METRICS:
            value = metric.of(pulse)
            if value is not None:
                gauge(f"nrt.{metric.name}.{report}", value, tags={"report": report, "home": pulse.home})
    except Exception as wrong:
        log.warning("the metrics of %s can't be sent: %r", pulse.report, wrong)
