"""A driver that tasks of two DAGs supervise: either sees it, and the one that launched it stops it."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.ids import home_id
from airflow_nrt.home.notes.supervisors import SILENT_MS, Supervisor, note_supervisor
from tests.page.lab import SAME_ORIGIN, Lab
from tests.page.made_homes import Made, make_home, plan_of_homes

THEIRS, OURS = "task stream of their_dag, run r1", "task curve of orders, run r2"


@pytest.fixture
def shared(lab: Lab, tmp_path: Path) -> Made:
    """Launched by a DAG of another team, and adopted by one of ours."""
    made = make_home(tmp_path / "homes", plan_of_homes(tmp_path), "shared", windows=3, dag_id="their_dag")
    note_supervisor(made.home, Supervisor("their_dag", "stream", "r1", -1, now_ms()))
    note_supervisor(made.home, Supervisor("orders", "curve", "r2", -1, now_ms()))
    return made


def test_either_sees_it(shared: Made) -> None:
    own = Lab.over(shared.home.path.parent)
    (ours,) = own.get("reports", "viewer", dag_id="orders")["reports"]
    assert (ours["dag_id"], ours["supervisors"], ours["can_act"]) == (None, [], False)
    theirs = own.client("user", ["theirs"]).get(f"/nrt/api/reports/{home_id(shared.home.path)}").json()
    assert (theirs["dag_id"], theirs["supervisors"], theirs["can_act"]) == ("their_dag", [OURS, THEIRS], True)


def test_the_launching_one_stops_it(shared: Made) -> None:
    own, place = Lab.over(shared.home.path.parent), f"/nrt/api/reports/{home_id(shared.home.path)}/stop"
    assert own.client("user").post(place, headers=SAME_ORIGIN, json={}).status_code == 403
    assert not shared.home.stop_file.exists()
    assert own.client("user", ["theirs"]).post(place, headers=SAME_ORIGIN, json={}).status_code == 200
    assert shared.home.is_stop_asked(shared.epoch)


def test_one_that_has_died_gives_no_permission(shared: Made) -> None:
    note_supervisor(shared.home, Supervisor("orders", "curve", "r2", -1, now_ms() - SILENT_MS))
    assert Lab.over(shared.home.path.parent).get("reports", "viewer")["reports"] == []
