"""The budget of restarts, and the waits in between."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.supervision.restarts import BudgetSpentError, RestartPolicy


def test_each_restart_waits_twice_as_long_up_to_the_longest() -> None:
    policy = RestartPolicy(most=10, window=3600, first=2, longest=10)
    waits, restarts = [], []
    for _ in range(5):
        waits.append(policy.back_off(restarts, now=100))
        restarts = policy.spend(restarts, 100, "lost")
    assert waits == [2, 4, 8, 10, 10]


def test_restarts_outside_of_the_window_do_not_count() -> None:
    policy = RestartPolicy(most=2, window=60)
    assert policy.spend([0, 10, 65], now=70, why="lost") == [65, 70]
    assert policy.back_off([0, 1], now=100) == policy.first


def test_a_spent_budget_says_what_was_lost() -> None:
    policy = RestartPolicy(most=2, window=60)
    with pytest.raises(BudgetSpentError, match=r"restarted 2 times within 1 minute \(max_restarts 2\).*no heartbeat"):
        policy.spend([50, 60], now=70, why="no heartbeat")


def test_no_restart_is_a_budget_too() -> None:
    with pytest.raises(BudgetSpentError):
        RestartPolicy(most=0).spend([], 0, "lost")


@pytest.mark.parametrize("wrong", [{"most": -1}, {"window": 0}, {"first": 5, "longest": 1}])
def test_numbers_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="restarts need"):
        RestartPolicy(**wrong)  # type: ignore[arg-type]
