"""The environment of an Airflow of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.demo.airflow_processes import AirflowProcesses


@pytest.mark.parametrize(("name", "standing"), [("NO_PROXY", "internal.example"), ("no_proxy", "")])
def test_its_processes_reach_each_other_past_a_proxy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, standing: str
) -> None:
    monkeypatch.setenv(name, standing)
    processes = AirflowProcesses(tmp_path / "airflow", tmp_path)
    names = processes.environment[name].split(",")
    assert {*filter(None, [standing]), "127.0.0.1", "localhost"} == set(names)
