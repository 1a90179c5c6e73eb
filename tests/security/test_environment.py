"""Of a worker's environment, with the secrets of Airflow and of others in it, a driver gets what it needs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.hooks.nrt import NrtHook, NrtSettings
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.launch.start import _environment
from airflow_nrt.operators.command import Command

NEEDED = {"PATH": "/bin", "LC_ALL": "C", "HADOOP_CONF_DIR": "/h", "SPARK_CONF_DIR": "/s", "https_proxy": "p", "TZ": "U"}
OTHERS = {"VAULT_TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "k", "AIRFLOW__CORE__FERNET_KEY": "f", "AIRFLOW_CONN_DB": "c"}


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**NEEDED, **OTHERS}.items():
        monkeypatch.setenv(name, value)


def test_what_nobody_needs_stays() -> None:
    for kept in (needed_environment(), _environment(())):
        assert kept.items() >= NEEDED.items()
        assert not kept.keys() & OTHERS.keys()


def test_a_connection_names_more_and_airflow_s_by_whole_names_alone() -> None:
    assert needed_environment(("AWS_*", "AIRFLOW_*"))["AWS_SECRET_ACCESS_KEY"] == "k"
    assert not needed_environment(("*", "AIRFLOW_*")).keys() & {"AIRFLOW_CONN_DB", "AIRFLOW__CORE__FERNET_KEY"}
    assert needed_environment(("AIRFLOW_CONN_DB",))["AIRFLOW_CONN_DB"] == "c"


def test_the_connection_s_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_MORE", '{"conn_type": "nrt", "extra": {"environment": "AWS_*, MINE"}}')
    assert NrtHook("more").cluster().environment == ("AWS_*", "MINE")
    with pytest.raises(InputError, match="environment: 'A=b' is no name of a variable"):
        NrtSettings(environment="A=b")


@pytest.mark.process
def test_a_command_gets_no_more(tmp_path: Path) -> None:
    """A stub in place of the product tells what it sees."""
    command = Command([], lambda line: None)
    command._arguments = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
    seen = command.run().result
    assert seen["LC_ALL"] == "C" and not seen.keys() & OTHERS.keys()
