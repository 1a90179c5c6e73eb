"""Every DAG file loads, and says what it is."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pendulum
import pytest
from airflow.sdk import DAG
from airflow.sdk.execution_time import macros

import tests.airflow_home  # noqa: F401

DAGS = Path(__file__).parents[2] / "dags"


@pytest.mark.parametrize("file", sorted(DAGS.glob("*.py")), ids=lambda file: file.stem)
def test_a_dag_file_loads(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERS_DATA", "/elsewhere")
    monkeypatch.setenv("ORDERS_ARCHIVE", "/elsewhere")
    monkeypatch.setenv("ORDERS_HOME", "/elsewhere/home")
    monkeypatch.setenv("ORDERS_HOMES", "/elsewhere/home")
    dag = runpy.run_path(str(file))["dag"]
    assert isinstance(dag, DAG)
    assert dag.dag_id == file.stem and dag.doc_md
    placed = [task for task in dag.tasks if hasattr(task, "home")]
    for task in placed:
        assert task.home.startswith("/elsewhere/home")
        assert (getattr(task, "settings", None) or {}).get("DATA", "/elsewhere") == "/elsewhere"


_DAY = {"data_interval_start": pendulum.datetime(2024, 6, 17), "data_interval_end": pendulum.datetime(2024, 6, 18)}


@pytest.mark.parametrize(
    ("context", "day"),
    [
        pytest.param({"params": {"day": None}}, "2024-06-19", id="the trigger button"),
        pytest.param({"params": {"day": None}, "data_interval_start": None}, "2024-06-19", id="no interval"),
        pytest.param({"params": {"day": None}, **_DAY}, "2024-06-17", id="the schedule"),
        pytest.param({"params": {"day": "2024-02-28"}, **_DAY}, "2024-02-28", id="a day"),
    ],
)
def test_every_run_of_the_nightly_dag_names_its_day(context: dict[str, Any], day: str) -> None:
    dag = runpy.run_path(str(DAGS / "orders_curve_nightly.py"))["dag"]
    triggered = SimpleNamespace(run_after=pendulum.datetime(2024, 6, 20, 9, 30))
    verify, complete = dag.get_task("verify"), dag.get_task("complete")
    for task in (verify, complete):
        task.render_template_fields({"dag_run": triggered, "macros": macros, **context})
    assert (verify.start, verify.end) == (day, complete.window_end)
    assert verify.end == pendulum.parse(day).add(days=1).to_date_string()
