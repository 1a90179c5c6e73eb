"""A curve as lines of text: one column of blocks for each span of time, and a gap for a missing window."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airflow_nrt.basics.instants import format_instant

EIGHTHS = " ▁▂▃▄▅▆▇█"
LABEL = 9


def draw(
    points: Sequence[tuple[int, float]], stride: int, width: int, height: int, until: int | None = None
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
    lines = [_row(heights, top, row, height) for row in range(height, 0, -1)]
    axis = f"{'0':>{LABEL}} └" + "─" * columns
    left, right = format_instant(first), format_instant(last)
    gap = max(columns - len(left) - len(right), 1)
    return [*lines, axis, " " * (LABEL + 2) + left + " " * gap + right]


def _row(heights: Sequence[float | None], top: float, row: int, height: int) -> str:
    cells = []
    for value in heights:
        eighths = 0 if value is None else round(max(value, 0.0) / top * height * 8)
        cells.append(EIGHTHS[min(max(eighths - (row - 1) * 8, 0), 8)])
    label = _short(top * row / height) if row in (height, (height + 1) // 2) else ""
    return f"{label:>{LABEL}} │" + "".join(cells).rstrip()


def _short(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.1f} {unit}"
    return f"{value:.6g}"
