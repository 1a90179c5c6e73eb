"""A curve in a terminal: its columns, its scale, and a gap where a window is missing."""

from __future__ import annotations

import math

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.curve.picture import LABEL, draw

BEGIN = 1_718_704_800_000
"""2024-06-18 10:00:00."""


def bars(values: list[float | None], width: int = 60, height: int = 1) -> str:
    points = [(BEGIN + n * MINUTE, value) for n, value in enumerate(values) if value is not None]
    return draw(points, MINUTE, width, height)[height - 1][LABEL + 2 :]


def test_a_column_for_each_window_as_high_as_its_value() -> None:
    assert bars([1, 2, 4, 8]) == "▁▂▄█"


def test_a_missing_window_is_a_gap() -> None:
    assert bars([8, None, 8]) == "█ █"


def test_a_narrow_terminal_keeps_the_last_window_of_each_span() -> None:
    assert bars([1, 8, 1, 4], width=LABEL + 3) == "█▄"


def test_the_axis_names_its_ends_and_reaches_as_far_as_asked() -> None:
    *_, axis, ends = draw([(BEGIN, 1.0)], MINUTE, 80, 4, until=BEGIN + 59 * MINUTE)
    assert axis == f"{'0':>{LABEL}} └{'─' * 60}"
    assert ends.split() == "2024-06-18 10:00:00 2024-06-18 10:59:00".split()


def test_a_decimal_keeps_its_scale() -> None:
    lines = draw([(BEGIN, 12.5)], MINUTE, 80, 2, scale=2)
    assert [line.split(" │")[0].strip() for line in lines[:2]] == ["12.50", "6.25"]
    assert draw([(BEGIN, 12.5)], MINUTE, 80, 2)[0].startswith(f"{'12.5':>{LABEL}} │")
    assert draw([(BEGIN, 1.25)], MINUTE, 80, 2, scale=12)[0].startswith(f"{'1.25':>{LABEL}} │"), "more than fits"


def test_no_value_at_all() -> None:
    assert draw([(BEGIN, math.nan)], MINUTE, 80, 4) == ["no window was published yet"]
