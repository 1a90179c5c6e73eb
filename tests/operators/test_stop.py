"""Stopping a stream that is between two drivers; a real driver is stopped under a real scheduler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowException

from airflow_nrt.home.heartbeat import FAILED
from airflow_nrt.operators.stop import NrtStopOperator
from tests.launch.homes import beat, launch, lease, new_home


def stop(home: str, **arguments: Any) -> dict[str, Any]:
    return NrtStopOperator(task_id="stop", home=home, timeout=0.2, **arguments).execute({})  # type: ignore[typeddict-item]


def test_a_launch_under_way_is_asked_and_waited_for(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    launch(home, 1)
    with pytest.raises(AirflowException, match="has not stopped within"):
        stop(str(home.path))
    assert home.is_stop_asked(1, launch="1")


def test_a_driver_that_died_is_not_to_be_restarted(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    beat(home, lease(home).epoch, FAILED)
    assert stop(str(home.path))["driver"] == "failed"
    assert home.is_stop_asked(1)


def test_a_home_is_named_below_the_connection_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = new_home(tmp_path)
    connection = {"conn_type": "nrt", "extra": {"home": str(tmp_path)}}
    monkeypatch.setenv("AIRFLOW_CONN_REPORTS", json.dumps(connection))
    assert stop(home.path.name, nrt_conn_id="reports")["home"] == str(home.path)
