"""Actions: a stop request in the home, and runs of the DAGs that work on it, which Airflow shows and logs."""

from __future__ import annotations

from typing import Any

import pytest
from airflow.models import DagRun
from airflow.models.log import Log
from airflow.utils.session import create_session
from sqlalchemy import select

from airflow_nrt.home.ids import home_id
from airflow_nrt.home.notes.tasks import BACKFILL, VERIFY, TaskOfHome, note_task
from airflow_nrt.page.actions import BATCHES
from tests.page.lab import SAME_ORIGIN, Lab, know_dags, serialize_dag
from tests.page.made_homes import Made

DAY = {"start": "2024-06-18T00:00:00", "end": "2024-06-19T00:00:00"}


@pytest.fixture
def own(lab: Lab, fresh: Made) -> Lab:
    """A lab over a home that the test may change."""
    return Lab.over(fresh.home.path.parent)


def act(lab: Lab, made: Made, action: str, role: str = "user", **body: Any) -> Any:
    place = f"/nrt/api/reports/{home_id(made.home.path)}/{action}"
    return lab.client(role).post(place, headers=SAME_ORIGIN, json=body)


def actions(lab: Lab, made: Made, role: str = "user") -> dict[str, dict[str, Any]]:
    told = lab.client(role).get(f"/nrt/api/reports/{home_id(made.home.path)}").json()
    return {one["name"]: one for one in told["actions"]}


def test_stop_asks_the_driver_of_this_epoch(own: Lab, fresh: Made) -> None:
    assert actions(own, fresh)["stop"]["enabled"]
    answer = act(own, fresh, "stop")
    assert (answer.status_code, answer.json()["link"]) == (200, None)
    assert fresh.home.is_stop_asked(fresh.epoch) and not fresh.home.is_stop_asked(fresh.epoch + 1)
    with create_session() as session:
        # Other tests of this process stop drivers, too.
        logged = session.scalars(select(Log).where(Log.event == "nrt_stop").order_by(Log.id.desc())).first()
        assert logged is not None and (logged.owner, logged.dag_id) == ("a user", "orders")


def test_there_is_nothing_to_stop_where_no_driver_runs(own: Lab, fresh: Made) -> None:
    fresh.beat("finished")
    assert not actions(own, fresh)["stop"]["enabled"]
    answer = act(own, fresh, "stop")
    assert (answer.status_code, answer.json()) == (409, {"detail": "no driver runs: it is finished"})
    assert not fresh.home.stop_file.exists()


@pytest.mark.parametrize(("action", "asked"), [("backfill", {}), ("repair", {"on_mismatch": "repair"}), ("verify", {})])
def test_windows_are_named_in_the_configuration_of_a_run(
    own: Lab, fresh: Made, action: str, asked: dict[str, str]
) -> None:
    serialize_dag("orders_nightly")
    answer = act(own, fresh, action, **DAY)
    assert answer.status_code == 200, answer.text
    run_id = answer.json()["message"].rpartition(" ")[2]
    with create_session() as session:
        run = session.scalars(select(DagRun).where(DagRun.run_id == run_id)).one()
        assert (run.dag_id, run.triggering_user_name, run.run_type) == ("orders_nightly", "a user", "manual")
        assert run.conf == {"nrt": {"start": "2024-06-18 00:00:00", "end": "2024-06-19 00:00:00", **asked}, **asked}
        assert f"nrt_{action}" in session.scalars(select(Log.event).where(Log.dag_id == "orders_nightly")).all()
    assert answer.json()["link"].startswith("/dags/orders_nightly/runs/manual__")


def test_a_run_of_a_paused_dag_waits_and_says_so(own: Lab, fresh: Made) -> None:
    serialize_dag("orders_nightly")
    know_dags("orders_nightly", paused=True)
    assert "paused: unpause it" in act(own, fresh, "verify", **DAY).json()["message"]
    know_dags("orders_nightly")


def test_what_no_dag_does_says_which_one_is_needed(own: Lab, fresh: Made) -> None:
    for file in fresh.home.tasks.local.glob("[bv]*.json"):
        file.unlink()
    told = actions(own, fresh)
    assert "no task NrtBackfillOperator of a DAG that you may see has worked on this home yet" in told["repair"]["text"]
    answer = act(own, fresh, "verify", **DAY)
    assert (answer.status_code, "NrtVerifyOperator" in answer.text) == (409, True)


def test_a_task_that_follows_no_wish_is_not_asked(own: Lab, fresh: Made) -> None:
    note_task(fresh.home, BACKFILL, TaskOfHome("orders_nightly", "backfill", ("interval",)))
    told = actions(own, fresh)
    assert told["backfill"]["enabled"] and not told["repair"]["enabled"]
    assert "of its own: leave them out of it" in act(own, fresh, "repair", **DAY).json()["detail"]


SAID = {
    "publish": "computes these windows in batch and publishes all of them, over what is published: ",
    "verify": "verifies these windows and publishes none: ",
    "repair": "verifies these windows and, if no late row explains a difference, publishes the batch result of those "
    "that differ: ",
    "": "",
}


@pytest.mark.parametrize("does", SAID)
def test_a_backfill_says_what_its_task_does(own: Lab, fresh: Made, does: str) -> None:
    note_task(fresh.home, BACKFILL, TaskOfHome("orders_nightly", "backfill", ("interval", "verify", "repair"), does))
    assert actions(own, fresh)["backfill"]["text"] == f"{SAID[does]}a run of orders_nightly"


def test_a_backfill_of_a_home_without_a_stream_publishes_what_is_new() -> None:
    (backfill,) = (one for one in BATCHES if one.name == "backfill")
    said = backfill.said(TaskOfHome("nightly", "backfill", ("interval",), "verify"), is_streamed=False)
    assert said == "publishes those of these windows that never were, and verifies all of them: a run of nightly"


def test_a_backfill_that_verifies_does_where_no_task_verifies_any_windows(own: Lab, fresh: Made) -> None:
    note_task(fresh.home, VERIFY, TaskOfHome("orders_nightly", "verify"))
    assert not actions(own, fresh)["verify"]["enabled"]
    note_task(fresh.home, BACKFILL, TaskOfHome("orders_nightly", "backfill", ("interval", "verify")))
    assert actions(own, fresh)["verify"]["dag_id"] == "orders_nightly"


def test_a_dag_of_another_team_is_neither_triggered_nor_named(own: Lab, fresh: Made) -> None:
    """Who may act on a report may not act on whatever its home names, nor learn which DAGs there are."""
    note_task(fresh.home, BACKFILL, TaskOfHome("their_dag", "their_backfill", ("interval", "repair")))
    answer = act(own, fresh, "backfill", **DAY)
    assert (answer.status_code, "NrtBackfillOperator" in answer.text) == (409, True)
    shown = actions(own, fresh)
    assert not shown["backfill"]["enabled"] and shown["backfill"]["dag_id"] is None
    assert "their" not in f"{answer.text} {shown}"


def test_a_task_of_another_team_that_follows_no_wish_is_not_named(own: Lab, fresh: Made) -> None:
    note_task(fresh.home, BACKFILL, TaskOfHome("their_dag", "their_backfill"))
    assert "their" not in f"{act(own, fresh, 'repair', **DAY).text} {actions(own, fresh)}"


def test_reports_are_not_found_by_a_dag_of_another_team(own: Lab, fresh: Made) -> None:
    note_task(fresh.home, BACKFILL, TaskOfHome("their_dag", "their_backfill"))
    assert [own.get("reports", "user", dag_id=name)["reports"] for name in ("their_dag", "no_dag")] == [[], []]


WRONG = [
    {}, {"start": "2024-06-18"}, {"start": "2024-06-19", "end": "2024-06-18"}, {"start": "x", "end": "y"},
    {"start": "2024-06-18", "end": ["2024-06-19"]}, {"start": "2024-06-18", "end": "2" * 50},
]  # fmt: skip


@pytest.mark.parametrize("body", WRONG, ids=str)
def test_a_wrong_interval_triggers_nothing(own: Lab, fresh: Made, body: dict[str, Any]) -> None:
    assert act(own, fresh, "backfill", **body).status_code == 422


def test_an_unknown_action_is_none(own: Lab, fresh: Made) -> None:
    assert act(own, fresh, "delete", **DAY).status_code == 404
