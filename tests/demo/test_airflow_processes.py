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


def test_its_one_user_has_a_password_of_its_own(tmp_path: Path) -> None:
    """Everybody on this host reaches the port: nobody is an administrator without it."""
    one, other = AirflowProcesses(tmp_path / "one", tmp_path), AirflowProcesses(tmp_path / "other", tmp_path)
    assert one.password != other.password and len(one.password) > 20
    auth = {name.partition("SIMPLE_AUTH_MANAGER_")[2]: one.environment[name] for name in one.environment}
    assert (auth["ALL_ADMINS"], auth["USERS"]) == ("False", "admin:admin")
    assert one.password not in one.environment.values()
    assert auth["PASSWORDS_FILE"] == str(tmp_path / "one" / "passwords.json")
