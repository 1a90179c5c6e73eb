"""The picture of a curve in a terminal: a title, the curve, and one line of progress.

The curve has one column of blocks for each span of time, and a gap for a missing window.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from typing import Protocol

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.instants import END_OF_TIME, format_instant, format_reached
from airflow_nrt.basics.texts import counted
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.status import Status
from airflow_nrt.model.zones import wall_clock

OLD_DATA_MS = 86_400_000
"""Windows that end longer ago are not of today: their lag relative to the clock means nothing."""
EIGHTHS = " ▁▂▃▄▅▆▇█"
LABEL = 9


class Curve(Protocol):
    """What is drawn: the windows' ends and values, and the distance of their ends (ms). `scale` is that of a DECIMAL,
    None for other numbers."""

    @property
    def title(self) -> str: ...

    @property
    def stride(self) -> int: ...

    @property
    def scale(self) -> int | None: ...

    def values(self) -> list[tuple[int, float]]: ...


def picture_lines(curve: Curve, status: Status, until: int | None = None) -> list[str]:
    """A title, the curve, and one line of progress."""
    size = shutil.get_terminal_size((100, 30))
    height = max(min(size.lines - 8, 14), 4)
    drawn = draw(curve.values(), curve.stride, size.columns, height, until, curve.scale)
    return [curve.title, *drawn, progress_line(status)]


def progress_line(status: Status, now: int | None = None) -> str:
    """The progress of the report in one line. `now` is an instant (ms)."""
    progress = "" if status.age is None else f" · last entry {_rounded(max(status.age, 0))} ago"
    decided = f" ({status.decided_windows} decided)" if status.waiting else ""
    waiting = f" · {counted(status.pending_files, 'split')} waiting" if status.pending_files else ""
    return (
        f"driver {status.driver}, epoch {status.epoch} · {counted(status.windows, 'window')} published{decided} · "
        f"watermark {format_reached(status.watermark)}{_lag(status, now_ms() if now is None else now)} · "
        f"{counted(status.rows, 'row')}, {status.late:,} late{progress}{waiting}"
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


def draw(
    points: Sequence[tuple[int, float]],
    stride: int,
    width: int,
    height: int,
    until: int | None = None,
    scale: int | None = None,
) -> list[str]:
    """Lines of at most `width` characters for (end of window in ms, value); the last two are the time axis.

    `stride` is the distance of window ends in ms. The axis ends at `until` if that is after the last point.
    """
    drawn = [(end, value) for end, value in points if not math.isnan(value)]
    if not drawn:
        return ["no window was published yet"]
    first, last = drawn[0][0], max(drawn[-1][0], until or drawn[-1][0])
    slots = (last - first) // stride + 1
    columns = max(min(width - LABEL - 1, slots), 1)
    per_column = math.ceil(slots / columns)
    columns = math.ceil(slots / per_column)
    heights: list[float | None] = [None] * columns
    for end, value in drawn:
        # The last window of a span represents it, so that the end of a day is never hidden.
        heights[(end - first) // stride // per_column] = value
    top = max((value for value in heights if value is not None and value > 0), default=1.0)
    lines = [_row(heights, top, row, height, scale) for row in range(height, 0, -1)]
    axis = f"{'0':>{LABEL}} └" + "─" * columns
    left, right = format_instant(first), format_instant(last)
    gap = max(columns - len(left) - len(right), 1)
    return [*lines, axis, " " * (LABEL + 2) + left + " " * gap + right]


def _row(heights: Sequence[float | None], top: float, row: int, height: int, scale: int | None) -> str:
    cells = []
    for value in heights:
        eighths = 0 if value is None else round(max(value, 0.0) / top * height * 8)
        cells.append(EIGHTHS[min(max(eighths - (row - 1) * 8, 0), 8)])
    label = _short(top * row / height, scale) if row in (height, (height + 1) // 2) else ""
    return f"{label:>{LABEL}} │" + "".join(cells).rstrip()


def _short(value: float, scale: int | None) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.1f} {unit}"
    with_scale = f"{value:.{scale}f}" if scale is not None else ""
    return with_scale if 0 < len(with_scale) <= LABEL else f"{value:.6g}"
