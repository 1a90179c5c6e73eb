"""What a driver does after a failure."""

from __future__ import annotations

import pytest

from airflow_nrt.engine.driver.decide.failures import (
    MOST_SECONDS,
    RETRIES,
    Attempts,
    Failure,
    GiveUp,
    Retry,
    Stop,
    Wait,
    after_failure,
)

PASSING, FINAL = Failure(), Failure(is_final=True)
AWAY = Failure(is_unreachable=True)


def steps(failure: Failure, entries: list[int]) -> list[object]:
    """What follows each of several failures in a row; `entries` are the last entries of the log then."""
    attempts, found = Attempts(0), []
    for last in entries:
        attempts = attempts.after(last)
        found.append(after_failure(failure, attempts, is_stop_asked=False))
    return found


def test_a_failure_that_passes_is_retried_a_few_times() -> None:
    retries = [Retry(2**n, n + 1) for n in range(RETRIES)]
    assert steps(PASSING, [0] * (RETRIES + 1)) == [*retries, GiveUp()]


def test_progress_begins_anew() -> None:
    assert steps(PASSING, [0, 0, 7, 7, 8]) == [Retry(1, 1), Retry(2, 2), Retry(1, 1), Retry(2, 2), Retry(1, 1)]


def test_a_server_may_be_away_for_as_long_as_it_takes() -> None:
    waits = steps(AWAY, [0] * 50)
    assert waits[:6] == [Wait(1), Wait(2), Wait(4), Wait(8), Wait(16), Wait(MOST_SECONDS)]
    assert set(waits[6:]) == {Wait(MOST_SECONDS)}


@pytest.mark.parametrize("failure", [FINAL, Failure(is_exit=True), Failure(has_no_engine=True)])
def test_what_would_come_again_is_not_retried(failure: Failure) -> None:
    assert steps(failure, [0]) == [GiveUp()]


@pytest.mark.parametrize("failure", [PASSING, AWAY, Failure(has_no_engine=True)])
def test_a_driver_that_is_to_stop_does_not_try_again(failure: Failure) -> None:
    assert after_failure(failure, Attempts(0, 1), is_stop_asked=True) == Stop()


@pytest.mark.parametrize("failure", [FINAL, Failure(is_exit=True)])
def test_a_stop_hides_no_error(failure: Failure) -> None:
    assert after_failure(failure, Attempts(0, 1), is_stop_asked=True) == GiveUp()
