"""What a DAG run may ask of a task, and that a task's own words are not overruled."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.usecases.requests.run_overrides import RunOverrides


def run(conf: Any) -> dict[str, Any]:
    return {"dag_run": SimpleNamespace(conf=conf)}


def test_a_run_names_windows_and_asks_for_a_repair() -> None:
    asked = RunOverrides.of_run(run({"nrt": {"start": "2024-06-18", "end": "2024-06-19", "on_mismatch": "repair"}}))
    assert asked.interval(None, "") == ("2024-06-18", "2024-06-19")
    assert asked.mismatch(None) == asked.mismatch("repair") == "repair"


@pytest.mark.parametrize(
    "asked",
    [RunOverrides(), RunOverrides("2024-06-18", "2024-06-19"), RunOverrides(on_mismatch="repair")],
    ids=["nothing", "windows", "a repair"],
)
def test_a_run_that_is_triggered_asks_for_what_was_meant(asked: RunOverrides) -> None:
    assert RunOverrides.of_run(run(asked.to_conf())) == asked


@pytest.mark.parametrize("context", [{}, run(None), run({}), run({"other": 1}), run("text")], ids=str)
def test_most_runs_ask_for_nothing(context: dict[str, Any]) -> None:
    assert RunOverrides.of_run(context) == RunOverrides()
    assert RunOverrides().interval("2024-06-18", None) == ("2024-06-18", None)


@pytest.mark.parametrize("asked", [[], "repair", {"start": 1}, {"home": "/elsewhere"}, {"on_mismatch": None}], ids=str)
def test_what_no_run_may_ask_is_refused(asked: Any) -> None:
    with pytest.raises(InputError, match="the run's conf 'nrt'"):
        RunOverrides.of_run(run({"nrt": asked}))


def test_a_task_that_must_fail_does_not_repair() -> None:
    with pytest.raises(InputError, match="the run asks for on_mismatch 'repair', and the task says 'fail'"):
        RunOverrides(on_mismatch="repair").mismatch("fail")
    with pytest.raises(InputError, match="leave start out of the task"):
        RunOverrides(start="2024-06-18").interval("2024-06-17", None)


def test_a_task_says_what_a_run_may_ask_of_it() -> None:
    def takes(kind: type, **given: Any) -> tuple[str, ...]:
        return kind(task_id="task", report="r.sql", **given).takes()

    assert takes(NrtBackfillOperator) == ("interval", "verify", "repair")
    assert takes(NrtBackfillOperator, on_mismatch="{{ params.on_mismatch }}") == ("interval", "verify", "repair")
    assert takes(NrtBackfillOperator, on_mismatch="fail") == ("interval", "verify")
    assert takes(NrtBackfillOperator, on_mismatch="repair") == ("interval", "repair")
    assert takes(NrtBackfillOperator, verify=False) == ("interval",)
    assert takes(NrtVerifyOperator) == ("interval",)
    assert takes(NrtVerifyOperator, start="2024-06-18", end="2024-06-19") == ()


def test_a_backfill_says_what_it_does_unless_the_run_decides_it() -> None:
    def does(**given: Any) -> str:
        return NrtBackfillOperator(task_id="task", report="r.sql", **given).does()

    assert (does(), does(on_mismatch="report")) == ("verify", "verify")
    assert (does(verify=False), does(on_mismatch="repair")) == ("publish", "repair")
    assert does(on_mismatch="{{ params.on_mismatch }}") == ""
    assert NrtVerifyOperator(task_id="task", report="r.sql").does() == ""
