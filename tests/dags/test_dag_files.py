"""Every DAG file loads, and says what it is."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from airflow.sdk import DAG

import tests.airflow_home  # noqa: F401

DAGS = Path(__file__).parents[2] / "dags"


@pytest.mark.parametrize("file", sorted(DAGS.glob("*.py")), ids=lambda file: file.stem)
def test_a_dag_file_loads(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERS_DATA", "/elsewhere")
    monkeypatch.setenv("ORDERS_HOME", "/elsewhere/home")
    dag = runpy.run_path(str(file))["dag"]
    assert isinstance(dag, DAG)
    assert dag.dag_id == file.stem
    for task in dag.tasks:
        assert task.home == "/elsewhere/home"  # type: ignore[attr-defined]
        assert getattr(task, "settings", None) in (None, {"DATA": "/elsewhere"})
