"""The timing of an insert: its options, what contradicts them, and which version of a window is due when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.model.result_timing import AT_ONCE, COMPLETE, EARLY, LAST, LATE, OutputOptions, Rows

SEED = OutputOptions(first_result=-15 * MINUTE, complete_result=2 * MINUTE, update_rate=5 * MINUTE)
LATELY = OutputOptions(complete_result=2 * MINUTE, late_updates=True, last_result=10 * MINUTE)
END = 600 * MINUTE


def versions(timing: OutputOptions, script: list[tuple[float, int]]) -> list[tuple[float, str]]:
    """The versions of one window that a script publishes: (watermark in minutes from its end, rows that came by it)."""
    seen, before, waiting = [], None, 0
    for minute, came in script:
        now, waiting = END + int(minute * MINUTE), waiting + came
        state = timing.due(END, before, now, waiting)
        if state is not None:
            seen.append((minute, state))
            waiting = 0
        before = now
    return seen


def test_the_example() -> None:
    every_minute = [(minute, 1) for minute in range(-30, 10)]
    assert versions(SEED, every_minute) == [
        (-15, EARLY), (-10, EARLY), (-5, EARLY), (0, EARLY), (2, COMPLETE)
    ]  # fmt: skip
    assert versions(SEED, [(-20, 3), (-1, 0), (10, 0)]) == [(-1, EARLY), (10, COMPLETE)]
    assert versions(SEED, [(-20, 3), (-15, 0), (-11, 1), (-10, 0)]) == [(-15, EARLY), (-10, EARLY)]
    assert versions(SEED, [(-20, 3), (60, 0)]) == [(60, COMPLETE)]


def test_rates() -> None:
    script = [(minute, 1) for minute in range(-6, 3)]
    each = OutputOptions(first_result=-5 * MINUTE)
    assert versions(each, script) == [(-5, EARLY), (-4, EARLY), (-3, EARLY), (-2, EARLY), (-1, EARLY), (0, COMPLETE)]
    counted = OutputOptions(first_result=-5 * MINUTE, update_rate=Rows(2))
    assert versions(counted, script) == [(-5, EARLY), (-3, EARLY), (-1, EARLY), (0, COMPLETE)]


def test_late_rows() -> None:
    script = [(1, 1), (2, 0), (3, 0), (4, 1), (9, 0), (10, 1), (11, 1)]
    assert versions(LATELY, script) == [(2, COMPLETE), (4, LATE), (10, LATE)]
    with_state = OutputOptions(complete_result=2 * MINUTE, late_updates=True, last_result=10 * MINUTE, result_state="s")
    assert versions(with_state, script) == [(2, COMPLETE), (4, LATE), (10, LAST)]
    assert versions(with_state, [(1, 1), (11, 0)]) == [(11, LAST)]
    assert versions(LATELY, [(1, 1), (END_OF_TIME / MINUTE, 0)])[-1][1] == COMPLETE


OFFSETS = st.none() | st.integers(-100, 100).map(lambda minutes: minutes * MINUTE)


@given(OFFSETS, OFFSETS, st.none() | st.integers(1, 10**9) | st.integers(1, 9).map(Rows), st.booleans(), OFFSETS)
def test_options_are_read_as_they_are_written(first, complete, rate, late, last) -> None:
    try:
        timing = OutputOptions(first, complete or 0, rate, late, last, "state")
    except InputError:
        return
    assert OutputOptions.read(timing.written()) == timing
    assert timing.earliest <= timing.complete_result <= timing.final


def test_a_hint() -> None:
    assert AT_ONCE.hint() == ""
    assert SEED.hint() == (
        "/*+ OPTIONS('first-result' = '-900000 ms', 'complete-result' = '120000 ms', 'update-rate' = '300000 ms') */"
    )


@pytest.mark.parametrize(
    "options, message",
    [
        ({"first-result": "+3 min"}, "'first-result' +3 minutes is after 'complete-result' 0 seconds"),
        ({"complete-result": "-3 min"}, "'complete-result' -3 minutes is before the end of the window"),
        ({"complete-result": "5 min", "last-result": "+3 min"}, "'last-result' +3 minutes is before 'complete-result'"),
        ({"late-updates": "on"}, "'late-updates' need a 'last-result' after 'complete-result' 0 seconds"),
        ({"late-updates": "on", "last-result": "0"}, "'late-updates' need a 'last-result' after"),
    ],
)
def test_contradictions(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as wrong:
        OutputOptions.read(options)
    assert message in str(wrong.value)


def test_an_update_rate_needs_a_first_result() -> None:
    with pytest.raises(InputError, match="'update-rate' needs a 'first-result'"):
        OutputOptions(update_rate=MINUTE).check_of_windows()
    SEED.check_of_windows()
