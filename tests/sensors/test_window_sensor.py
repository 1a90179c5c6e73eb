"""The sensor's look at a home; its deferral is tested under a real triggerer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from airflow.sdk.exceptions import AirflowFailException

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.home.heartbeat import FAILED
from airflow_nrt.sensors.window import NrtWindowSensor
from tests.launch.homes import beat, fire, lease, new_home

END = parse_instant("2024-06-18 10:00")


def sensor(path: Path, window_end: str = "2024-06-18 10:00") -> NrtWindowSensor:
    return NrtWindowSensor(task_id="wait", home=str(path), window_end=window_end)


def test_a_window_is_there_when_all_operators_have_fired_it(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    writer = lease(home)
    assert not sensor(home.path).poke({})
    beat(home, 1, entry=fire(home, writer, END, END - 1))
    assert not sensor(home.path).poke({})
    beat(home, 1, entry=fire(home, writer, END, END))
    assert sensor(home.path).poke({})
    assert not sensor(home.path, "2024-06-18 10:10").poke({})


def test_a_window_that_is_decided_but_not_yet_visible_is_waited_for(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    entry = fire(home, lease(home), END)
    beat(home, 1, entry=entry - 1)
    assert not sensor(home.path).poke({})
    beat(home, 1, entry=entry)
    assert sensor(home.path).poke({})


def test_a_home_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    assert not sensor(tmp_path / "later").poke({})


def test_a_driver_that_failed_for_good_fails_the_sensor_unless_the_window_is_there(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    entry = fire(home, lease(home), END)
    beat(home, 1, FAILED, entry=entry, error="overflow in gmv", final=True)
    assert sensor(home.path).poke({})
    with pytest.raises(AirflowFailException, match="overflow in gmv"):
        sensor(home.path, "2024-06-18 10:10").poke({})


def test_a_table_that_the_report_has_not_fails(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    beat(home, 1, entry=fire(home, lease(home), END))
    wait = {"task_id": "wait", "home": str(home.path), "window_end": "2024-06-18 10:00"}
    assert not NrtWindowSensor(table="orders_curve", **wait).poke({})
    with pytest.raises(AirflowFailException, match=r"the report has no table 'curve': it has orders_curve"):
        NrtWindowSensor(table="curve", **wait).poke({})


def test_a_window_end_with_an_offset_is_an_instant_on_the_report_s_clock(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    identity = json.loads(home.report_file.local.read_text())
    identity["fingerprint"]["setting table.local-time-zone"] = "Asia/Shanghai"
    home.report_file.local.write_text(json.dumps(identity))
    beat(home, 1, entry=fire(home, lease(home), END))
    assert sensor(home.path).poke({})
    assert sensor(home.path, "2024-06-18T02:00:00+00:00").poke({})
    assert not sensor(home.path, "2024-06-18T02:10:00+00:00").poke({})


def test_a_time_that_is_none_fails(tmp_path: Path) -> None:
    with pytest.raises(AirflowFailException, match="window_end: 'soon' is not a time"):
        sensor(tmp_path, "soon").poke({})


def test_a_home_is_named_below_the_connection_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = new_home(tmp_path)
    beat(home, 1, entry=fire(home, lease(home), END))
    connection = {"conn_type": "nrt", "extra": {"home": str(tmp_path)}}
    monkeypatch.setenv("AIRFLOW_CONN_REPORTS", json.dumps(connection))
    named = NrtWindowSensor(task_id="wait", home=home.path.name, window_end="2024-06-18 10:00", nrt_conn_id="reports")
    assert named.poke({})
