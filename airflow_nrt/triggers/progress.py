"""The status of a report from its task: a line in the log now and then, and an XCom that is kept current."""

from __future__ import annotations

import asyncio
from typing import Any

from airflow_nrt.basics.durations import SECOND, format_duration
from airflow_nrt.basics.instants import END_OF_TIME, complete_text, format_reached, iso_instant, iso_moment
from airflow_nrt.basics.texts import counted
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import Pulse, Status, read_pulse
from airflow_nrt.triggers.watcher import WATCHER, Unreadable
from airflow_nrt.triggers.xcoms import write_xcom

STATUS = "status"
"""The key of the XCom."""
_LIMIT_SECONDS = 30.0


def status_line(pulse: Pulse) -> str:
    """The status in one line, the most important first, because Airflow's pages cut lines off."""
    fields = f", {counted(pulse.null_fields, 'field')} read as NULL" if pulse.null_fields else ""
    parts = (
        f"{_lag(pulse)}, {counted(pulse.rows, 'row')} ({pulse.late:,} late, {pulse.rejected:,} rejected{fields})",
        *([pulse.error] if pulse.error else []),
        f"{counted(pulse.windows, 'window')} published{complete_text(pulse.last_window)}",
        *map(str, pulse.waiting),
        *([] if pulse.watermark is None else [f"watermark {format_reached(pulse.watermark)}"]),
        counted(pulse.restarts, "restart"),
        f"{pulse.report} {pulse.driver}",
    )
    return "; ".join(parts)


def status_xcom(pulse: Pulse) -> dict[str, Any]:
    """Numbers, names and ISO times, no lists. See `NrtStreamOperator`."""
    names = "report home driver epoch restarts entry windows decided_windows rows late dropped rejected null_fields"
    lag = None if pulse.lag is None or pulse.watermark == END_OF_TIME else pulse.lag // SECOND
    return {
        **{name: getattr(pulse, name) for name in names.split()},
        "at": iso_moment(now_ms()),
        "zone": pulse.zone or "UTC",
        "watermark": iso_instant(pulse.watermark),
        "last_window": iso_instant(pulse.last_window),
        "decided_until": iso_instant(pulse.decided_until),
        "tables": {
            one.table: {
                "decided": iso_instant(one.decided),
                "published": iso_instant(one.published),
                "decided_entry": one.decided_entry,
                "published_entry": one.published_entry,
            }
            for one in pulse.tables
        },
        "lag_seconds": lag,
        "error": pulse.error,
        "text": status_line(pulse),
    }


def end_xcom(status: Status) -> dict[str, Any]:
    """The return value of a task: `status_xcom`, and how many backfills and repairs restated windows."""
    return {**status_xcom(status), "restatements": status.restatements}


class Progress:
    """Reports the status of a home every `interval` seconds, on behalf of a task instance, if there is one."""

    def __init__(self, location: str, group: str | None, interval: float, task: Any, log: Any) -> None:
        self.location = location
        self.group = group
        self.interval = interval
        self.task = task
        self.log = log
        self._due = 0.0
        self._pushing: asyncio.Task[None] | None = None

    async def report(self, now: float) -> None:
        """Reports if it is due; `now` is in seconds of a monotonic clock. It skips a home that can't be read."""
        if now < self._due:
            return
        self._due = now + self.interval
        try:
            pulse = await WATCHER.read(self.location, ("pulse", self.group), self._read)
        except Unreadable:
            return
        self.log.info("%s", status_line(pulse))
        if self.task is not None and (self._pushing is None or self._pushing.done()):
            # Not awaited, because the first answer in a new triggerer takes seconds.
            self._pushing = asyncio.create_task(self._push(status_xcom(pulse)))

    def _read(self) -> Pulse:
        return read_pulse(Home.open(self.location, self.group))

    async def _push(self, status: dict[str, Any]) -> None:
        try:
            await write_xcom(self.task, STATUS, status, _LIMIT_SECONDS)
        except Exception as wrong:
            self.log.warning("the XCom %r can't be written: %r", STATUS, wrong)


def _lag(pulse: Pulse) -> str:
    lag = pulse.lag
    if lag is None:
        return "no watermark yet"
    if pulse.watermark == END_OF_TIME:
        return "the input has ended"
    rounded = format_duration(abs(lag) // SECOND * SECOND, 2)
    return f"lag {rounded}" if lag >= 0 else f"{rounded} ahead of the clock"
