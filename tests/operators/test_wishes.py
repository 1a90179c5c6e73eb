"""What a DAG run may ask of a task, and that a task's own words are not overruled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.operators.wishes import Wishes


def run(conf: Any) -> dict[str, Any]:
    return {"dag_run": SimpleNamespace(conf=conf)}


def test_a_run_names_windows_and_asks_for_a_repair() -> None:
    wishes = Wishes.of_run(run({"nrt": {"start": "2024-06-18", "end": "2024-06-19", "on_mismatch": "repair"}}))
    assert wishes.interval(None, "") == ("2024-06-18", "2024-06-19")
    assert wishes.mismatch(None) == wishes.mismatch("repair") == "repair"


@pytest.mark.parametrize("context", [{}, run(None), run({}), run({"other": 1}), run("text")], ids=str)
def test_most_runs_ask_for_nothing(context: dict[str, Any]) -> None:
    assert Wishes.of_run(context) == Wishes()
    assert Wishes().interval("2024-06-18", None) == ("2024-06-18", None)


@pytest.mark.parametrize("asked", [[], "repair", {"start": 1}, {"home": "/elsewhere"}, {"on_mismatch": None}], ids=str)
def test_what_is_no_wish_is_refused(asked: Any) -> None:
    with pytest.raises(InputError, match="the run's conf 'nrt'"):
        Wishes.of_run(run({"nrt": asked}))


def test_a_task_that_must_fail_does_not_repair() -> None:
    with pytest.raises(InputError, match="the run asks for on_mismatch 'repair', and the task says 'fail'"):
        Wishes(on_mismatch="repair").mismatch("fail")
    with pytest.raises(InputError, match="leave start out of the task"):
        Wishes(start="2024-06-18").interval("2024-06-17", None)


def test_a_task_says_which_wishes_it_follows() -> None:
    def takes(kind: type, **given: Any) -> tuple[str, ...]:
        return kind(task_id="task", report="r.sql", **given).takes()

    assert takes(NrtBackfillOperator) == ("interval", "verify", "repair")
    assert takes(NrtBackfillOperator, on_mismatch="{{ params.on_mismatch }}") == ("interval", "verify", "repair")
    assert takes(NrtBackfillOperator, on_mismatch="fail") == ("interval", "verify")
    assert takes(NrtBackfillOperator, on_mismatch="repair") == ("interval", "repair")
    assert takes(NrtBackfillOperator, verify=False) == ("interval",)
    assert takes(NrtVerifyOperator) == ("interval",)
    assert takes(NrtVerifyOperator, start="2024-06-18", end="2024-06-19") == ()
