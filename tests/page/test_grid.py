"""Where the windows of a day end, and which step of the curve each belongs to."""

from __future__ import annotations

import pytest

from airflow_nrt.home.outline import WindowOutline
from airflow_nrt.page.curve import MOST_STEPS, Grid

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("stride", "some_end", "first", "last", "count"),
    [
        (10 * MINUTE, 0, 10 * MINUTE, DAY, 144),
        (10 * MINUTE, -3 * DAY, 10 * MINUTE, DAY, 144),
        (HOUR, 30 * MINUTE, 30 * MINUTE, DAY - 30 * MINUTE, 24),
        (7 * HOUR, -2 * HOUR, 5 * HOUR, 19 * HOUR, 3),
        (DAY, DAY, DAY, DAY, 1),
        (7 * DAY, 3 * DAY, 0, 0, 0),
        (7 * DAY, 14 * DAY + HOUR, HOUR, HOUR, 1),
    ],
)
def test_a_step_is_a_window_s_end(stride: int, some_end: int, first: int, last: int, count: int) -> None:
    grid = Grid.of(WindowOutline("", stride), some_end, 0)
    steps = grid.steps()
    assert len(steps) == count
    if steps:
        assert (steps[0], steps[-1]) == (first, last)
    assert [grid.step(end) for end in steps] == list(range(count))


def test_many_windows_share_a_step() -> None:
    grid = Grid.of(WindowOutline("", SECOND), 0, 0)
    steps = grid.steps()
    assert (len(steps), steps[0], steps[-1]) == (MOST_STEPS, MINUTE, DAY)
    assert [grid.step(end) for end in (SECOND, MINUTE, MINUTE + SECOND, DAY)] == [0, 0, 1, MOST_STEPS - 1]
