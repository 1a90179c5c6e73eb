"""The picture of a curve in a terminal: a title, the curve, and one line of progress."""

from __future__ import annotations

import shutil
from typing import Protocol

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.curve.drawing import draw
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.status import Status
from airflow_nrt.model.zones import wall_clock

OLD_DATA_MS = 86_400_000
"""Windows that end longer ago are not of today: their lag relative to the clock means nothing."""


class Curve(Protocol):
    """What is drawn: the windows' ends and values, and the distance of their ends (ms)."""

    @property
    def title(self) -> str: ...

    @property
    def stride(self) -> int: ...

    def values(self) -> list[tuple[int, float]]: ...


def picture_lines(curve: Curve, status: Status, until: int | None = None) -> list[str]:
    """A title, the curve, and one line of progress."""
    size = shutil.get_terminal_size((100, 30))
    height = max(min(size.lines - 8, 14), 4)
    return [curve.title, *draw(curve.values(), curve.stride, size.columns, height, until), progress_line(status)]


def progress_line(status: Status, now: int | None = None) -> str:
    """The progress of the report in one line. `now` is an instant (ms)."""
    progress = "" if status.age is None else f" · last entry {_rounded(max(status.age, 0))} ago"
    waiting = f" · {status.pending_files} splits wait" if status.pending_files else ""
    return (
        f"driver {status.driver}, epoch {status.epoch} · {status.windows} windows published · "
        f"watermark {format_instant(status.watermark)}{_lag(status, now_ms() if now is None else now)} · "
        f"{status.rows} rows, {status.late} late{progress}{waiting}"
    )


def _lag(status: Status, now: int) -> str:
    """The lag of the newest window relative to the clock; for old data, relative to the watermark."""
    if status.last_window is None or status.watermark is None or status.watermark == END_OF_TIME:
        return ""
    lag = wall_clock(now, status.zone) - status.last_window
    if 0 <= lag < OLD_DATA_MS:
        return f" · lag {_rounded(lag)}"
    return f" · lag {_rounded(max(status.watermark - status.last_window, 0))} of the data"


def _rounded(ms: int) -> str:
    return format_duration(ms // 1000 * 1000)
