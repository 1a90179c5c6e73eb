"""Why windows of a table are missing, as far as the home of the report says."""

from __future__ import annotations

from airflow_nrt.basics.durations import SECOND, format_duration
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.home.status import Pulse
from airflow_nrt.home.table_progress import TableProgress


def missing_cause(pulse: Pulse, table: TableProgress, now: int | None = None) -> str:
    """In a few words, what is to be looked at first: the driver, the sink, or the rows that do not come."""
    beat = pulse.heartbeat
    if pulse.failed_start is not None or beat is None:
        return pulse.error or "no driver has begun"
    error = f": {beat.error}" if beat.error else ""
    if beat.is_over:
        return f"its driver has ended, {beat.state}{error}"
    if pulse.driver == "silent":
        return f"its driver has been silent for {format_duration(beat.age(now) // SECOND * SECOND)}{error}"
    if beat.error:
        return beat.error
    if table.waits:
        return f"its sink lacks what is decided up to {format_instant(table.decided)}"
    if beat.pending_files:
        files = "1 file waits" if beat.pending_files == 1 else f"{beat.pending_files} files wait"
        return f"its driver is late, {files} to be read"
    return f"no newer rows have come, the watermark is {format_instant(pulse.watermark)}"
