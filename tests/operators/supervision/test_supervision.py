"""How a stream task answers what its trigger saw, on real homes; real drivers are in the tests of the DAGs.

driver of epoch 1    ended as asked ──▶ success        lost ──▶ room is made ──▶ another one, the budget less one
                     failed for good ──▶ failure            └─▶ asked to stop ──▶ success
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException, TaskDeferred

from airflow_nrt.basics.instants import END_OF_TIME, parse_instant
from airflow_nrt.home.heartbeat import FAILED, FINISHED, STOPPED, now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.ids import home_id
from airflow_nrt.home.next_generation import begin_next
from airflow_nrt.home.notes.supervisors import Supervisor, note_supervisor, supervisors_of
from airflow_nrt.home.notes.tasks import STREAM, TaskOfHome, note_task, tasks_of
from airflow_nrt.launch import living
from airflow_nrt.launch.launch_records import last_launch
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.supervision import supervision
from airflow_nrt.sql.load import load_report, plan_of_home
from airflow_nrt.triggers.driver_health import BROKEN, ENDED, LOST, STALLED, DriverWatch, Judgement
from airflow_nrt.triggers.watcher import look
from tests.launch.homes import REPORT, beat, fire, hanging_driver, launch, lease, new_home
from tests.task_log import said

XCOMS: dict[str, Any] = {}
TI = SimpleNamespace(
    dag_id="dag", task_id="stream", run_id="run", map_index=-1, try_number=1, xcom_push=XCOMS.__setitem__
)
CONTEXT: Any = {"ti": TI}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(living, "CERTAINTY_SECONDS", 0.5)
    monkeypatch.setenv(
        "AIRFLOW_CONN_NO_SPARK", json.dumps({"conn_type": "spark", "extra": {"spark-binary": "spark3-submit"}})
    )
    nowhere = {"conn_type": "nrt", "extra": {"spark_conn_id": "no_spark", "master": "local[1]"}}
    monkeypatch.setenv("AIRFLOW_CONN_NOWHERE", json.dumps(nowhere))
    home = new_home(tmp_path)
    lease(home)
    return home


@pytest.fixture
def driver(process: None, home: Home) -> Iterator[subprocess.Popen[bytes]]:
    """A driver of this host that hangs."""
    process = hanging_driver(home)
    yield process
    process.kill()
    process.wait()


def stream(home: Home, **options: Any) -> NrtStreamOperator:
    known = {"report": str(REPORT), "home": str(home.path), "settings": {"DATA": str(home.path.parent)}, **options}
    return NrtStreamOperator(task_id="stream", **known)


def answer(home: Home, kind: str, epoch: int = 1, final: bool = False, **options: Any) -> Any:
    event = Judgement(kind, epoch, "for a reason", final).to_json()
    return stream(home, **options).resume(CONTEXT, event, restarts=[], home=str(home.path), endless=True)


def deferral(act: Any) -> tuple[Any, dict[str, Any]]:
    """The trigger and what is kept for its answer."""
    with pytest.raises(TaskDeferred) as deferred:
        act()
    return deferred.value.trigger, dict(deferred.value.kwargs or {})


def test_an_end_is_a_success_whatever_has_become_of_the_report(home: Home, tmp_path: Path) -> None:
    beat(home, 1, STOPPED)
    edited = tmp_path / "edited.sql"
    edited.write_text("no SQL")
    assert answer(home, ENDED, report=str(edited))["driver"] == "stopped"


def test_times_of_an_xcom_are_iso_and_the_line_stands_beside_the_numbers(home: Home) -> None:
    entry = fire(home, lease(home), parse_instant("2024-06-18 10:00:00.5"))
    beat(home, 2, STOPPED, entry=entry)
    told = answer(home, ENDED, epoch=2)
    assert (told["watermark"], told["last_window"], told["zone"]) == (*["2024-06-18T10:00:00.500"] * 2, "UTC")
    assert abs(datetime.fromisoformat(told["at"]).timestamp() - time.time()) < 60
    assert told["lag_seconds"] > 0
    lag, windows, *_, driver = told["text"].split("; ")
    assert lag.startswith("lag ") and lag.endswith(", 0 rows (0 late, 0 rejected)")
    assert (windows, driver) == (
        "0 windows published, complete up to 2024-06-18 10:00:00.500",
        "orders_curve stopped",
    )
    assert told["restarts"] == 1
    assert {**XCOMS["status"], "at": told["at"], "lag_seconds": told["lag_seconds"], "text": told["text"]} == {
        name: value for name, value in told.items() if name != "restatements"
    }
    beat(home, 2, FINISHED, entry=fire(home, lease(home), END_OF_TIME))
    told = answer(home, ENDED, epoch=3)
    assert (told["watermark"], told["lag_seconds"]) == (None, None)


def test_a_final_failure_ends_the_task_for_good(home: Home) -> None:
    with pytest.raises(AirflowFailException, match=r"^for a reason$"):
        answer(home, BROKEN, final=True)


def test_the_log_ends_with_what_the_driver_said_last_and_the_cause(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.driver_log.local.write_text("".join(f"line {number}\n" for number in range(100)) + "password hunter22\n")
    with pytest.raises(AirflowFailException):
        answer(home, BROKEN, final=True, settings={"DATA": "/d", "PASSWORD": "hunter22"})
    lines = said(capsys)
    begin = lines.index(f"the end of {home.driver_log}:")
    assert lines[begin + 1 :] == [
        *(f"  line {number}" for number in range(81, 100)), "  password ${PASSWORD}", "for a reason",
    ]  # fmt: skip


@pytest.mark.process
def test_the_log_says_where_everything_is_and_links_lead_there(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    beat(home, 1, ui="http://driver:4040")
    task = stream(home)
    deferral(lambda: task.execute(CONTEXT))
    lines = said(capsys)
    for place in (f"home {home.path}", f"driver log {home.driver_log}", "Spark UI http://driver:4040"):
        assert place in lines
    page = f"/nrt/#/report/{home_id(home.path)}"
    links = {link.name: link.get_link(task, ti_key=None) for link in task.operator_extra_links}
    assert links["Report"].endswith(page)
    assert links["Driver log"].endswith(f"/nrt/api/reports/{home_id(home.path)}/log")
    assert links["Spark UI"] == "http://driver:4040"
    # They are seen while the task is deferred.
    assert XCOMS["_link_NrtReportLink"].endswith(page)
    # Airflow asks the task of the next phase again.
    beat(home, 1, STOPPED, ui="http://driver:4040")
    again = stream(home)
    again.resume(CONTEXT, Judgement(ENDED, 1, "stopped").to_json(), restarts=[], home=str(home.path), endless=True)
    assert links == {link.name: link.get_link(again, ti_key=None) for link in again.operator_extra_links}


@pytest.mark.process
@pytest.mark.parametrize("state, endless", [(STOPPED, True), (STOPPED, False), (FINISHED, True)])
def test_a_driver_that_ends_unasked_is_not_the_end(home: Home, state: str, endless: bool) -> None:
    beat(home, 1)
    trigger, kept = deferral(lambda: stream(home).execute(CONTEXT))
    assert (trigger.epoch, kept["endless"]) == (1, True)
    beat(home, 1, state)
    judgement = DriverWatch(endless=endless).judge(look(str(home.path)), 0)
    assert judgement is not None and (judgement.kind, judgement.final) == (LOST, False)
    home.ask_to_stop()
    judgement = DriverWatch(endless=endless).judge(look(str(home.path)), 0)
    assert judgement is not None and judgement.kind == ENDED


@pytest.mark.process
def test_what_is_available_now_has_an_end(home: Home) -> None:
    beat(home, 1)
    trigger, kept = deferral(lambda: stream(home, available_now=True).execute(CONTEXT))
    assert not trigger.endless and not kept["endless"]


@pytest.mark.parametrize("kind, state", [(LOST, FAILED), (BROKEN, FAILED), (LOST, STOPPED)])
def test_a_driver_that_died_while_it_was_stopping_gets_no_successor(home: Home, kind: str, state: str) -> None:
    beat(home, 1, state)
    home.ask_to_stop()
    assert answer(home, kind)["epoch"] == 1
    assert last_launch(home) is None


def test_a_launch_that_failed_while_it_was_to_stop_gets_no_successor(home: Home) -> None:
    launch(home, 1)
    home.ask_to_stop()
    assert answer(home, LOST, epoch=0)["epoch"] == 1
    assert home.newest_launch() == 1


def test_an_older_request_does_not_stop_a_later_launch(home: Home) -> None:
    home.ask_to_stop()
    launch(home, 1)
    with pytest.raises(AirflowException, match="restarted 0 times"):
        answer(home, LOST, epoch=0, max_restarts=0)


def test_a_restart_adopts_whoever_took_over(home: Home) -> None:
    beat(home, lease(home).epoch)
    trigger, kept = deferral(lambda: answer(home, LOST))
    assert (trigger.epoch, len(kept["restarts"]), trigger.back_off) == (2, 1, 4.0)
    assert last_launch(home) is None


def test_a_restart_waits_for_a_launch_under_way(home: Home) -> None:
    beat(home, 1, FAILED)
    launch(home, 1)
    starting = threading.Timer(0.7, lambda: beat(home, lease(home).epoch, launch="1"))
    starting.start()
    trigger, _ = deferral(lambda: answer(home, BROKEN))
    assert (trigger.epoch, home.newest_launch()) == (2, 1)
    starting.join()


@pytest.mark.process
def test_who_was_about_to_launch_leaves_it_to_whoever_was_first(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    beat(home, 1, FAILED)
    planned = NrtStreamOperator.planned

    def while_another_one_launches(task: NrtStreamOperator, home: Home, *more: Any) -> Any:
        if last_launch(home) is None:
            launch(home, 1)
            threading.Timer(0.7, lambda: beat(home, lease(home).epoch, launch="1")).start()
        return planned(task, home, *more)

    monkeypatch.setattr(NrtStreamOperator, "planned", while_another_one_launches)
    trigger, _ = deferral(lambda: answer(home, BROKEN))
    assert (trigger.epoch, home.newest_launch()) == (2, 1)


def test_a_driver_that_begins_while_it_is_looked_for_is_found(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    beat(home, 1, FAILED)
    launch(home, 1)
    look_for = supervision.living_driver

    def just_before_it_shows(*of: Any) -> Any:
        found = look_for(*of)
        beat(home, lease(home).epoch, launch="1")
        return found

    monkeypatch.setattr(supervision, "living_driver", just_before_it_shows)
    trigger, _ = deferral(lambda: answer(home, BROKEN))
    assert (trigger.epoch, home.newest_launch()) == (2, 1)


def test_a_spent_budget_leaves_the_next_attempt_to_the_task_s_retries(home: Home) -> None:
    beat(home, 1, FAILED)
    with pytest.raises(AirflowException, match=r"restarted 0 times .* lost again: for a reason") as failed:
        answer(home, BROKEN, max_restarts=0)
    assert not isinstance(failed.value, AirflowFailException)


@pytest.mark.parametrize("kind", [LOST, STALLED])
def test_room_is_made_for_a_successor(home: Home, driver: subprocess.Popen[bytes], kind: str) -> None:
    beat(home, 1, pid=driver.pid, beat=0)
    if kind == LOST:
        file = home.heartbeats.local / "1.json"
        stale = json.loads(file.read_text())
        file.write_text(json.dumps({**stale, "beat": stale["beat"] - 60_000}))
    with pytest.raises(AirflowFailException, match="spark3-submit is not on the PATH"):
        answer(home, kind, nrt_conn_id="nowhere")
    assert driver.wait(10) == -9


def test_a_lost_driver_that_beats_again_is_spared(home: Home, driver: subprocess.Popen[bytes]) -> None:
    beat(home, 1, pid=driver.pid)
    trigger, _ = deferral(lambda: answer(home, LOST))
    assert (trigger.epoch, driver.poll()) == (1, None)


def test_a_stall_that_fails_the_task_leaves_no_driver(home: Home, driver: subprocess.Popen[bytes]) -> None:
    beat(home, 1, pid=driver.pid)
    with pytest.raises(AirflowFailException, match="for a reason; the driver was killed"):
        answer(home, STALLED, on_stall="fail")
    assert driver.wait(10) == -9
    assert home.is_stop_asked(1)


def test_a_driver_that_stops_is_waited_for_and_killed_if_it_hangs(home: Home, driver: subprocess.Popen[bytes]) -> None:
    beat(home, 1, pid=driver.pid)
    home.ask_to_stop()
    with pytest.raises(AirflowFailException, match="spark3-submit is not on the PATH"):
        stream(home, startup_timeout=4.0, nrt_conn_id="nowhere").execute(CONTEXT)
    assert driver.wait(10) == -9


@pytest.mark.process
def test_a_report_that_was_edited_is_told_at_the_restart(home: Home, tmp_path: Path) -> None:
    edited = tmp_path / "orders_curve.sql"
    edited.write_text(REPORT.read_text().replace("'10' MINUTES", "'20' MINUTES"))
    beat(home, 1, FAILED)
    with pytest.raises(AirflowFailException, match="computes something else"):
        answer(home, BROKEN, report=str(edited))


@pytest.mark.process
def test_a_changed_report_needs_another_driver_until_one_computes_it(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the report before is not adopted; one that computes both is."""
    launched: list[int] = []

    def launch_one(one: supervision.Supervision, number: int) -> None:
        launched.append(number)
        beat(home, lease(home).epoch)

    monkeypatch.setattr(supervision.Supervision, "_launch", launch_one)
    edited = tmp_path / "orders_curve.sql"
    edited.write_text(REPORT.read_text().replace("'10' MINUTES", "'20' MINUTES"))
    beat(home, 1)
    with pytest.raises(AirflowFailException, match="computes something else"):
        stream(home, report=str(edited)).execute(CONTEXT)
    task = stream(home, report=str(edited), on_change="rebuild")
    trigger, _ = deferral(lambda: task.execute(CONTEXT))
    assert (trigger.epoch, launched) == (2, [1])
    following = begin_next(home, load_report(edited, {"DATA": str(tmp_path)}), plan_of_home)
    following.heartbeats.make()
    (following.heartbeats / "1.json").replace((home.heartbeats / "2.json").read())
    trigger, _ = deferral(lambda: task.execute(CONTEXT))
    assert (trigger.epoch, launched) == (2, [1])
    edited.write_text(REPORT.read_text().replace("'10' MINUTES", "'30' MINUTES"))
    trigger, _ = deferral(lambda: task.execute(CONTEXT))
    assert (trigger.epoch, launched) == (3, [1, 1])
    with pytest.raises(ValueError, match="on_change must be 'fail' or 'rebuild', not 'maybe'"):
        stream(home, on_change="maybe")


@pytest.mark.process
@pytest.mark.parametrize("conn_id, complaint", [("nowhere", "spark3-submit is not on"), ("unknown", "is not defined")])
def test_nothing_is_made_where_no_driver_can_be_launched(
    home: Home, tmp_path: Path, conn_id: str, complaint: str
) -> None:
    never = Home.at(tmp_path / "never")
    with pytest.raises(AirflowFailException, match=complaint):
        stream(never, nrt_conn_id=conn_id).execute(CONTEXT)
    assert not never.path.exists()


@pytest.mark.process
def test_a_task_that_adopts_is_not_the_one_that_launched(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """The page asks for the permission of the latter. Both logs name the other task."""
    note_task(home, STREAM, TaskOfHome("launching", "stream"))
    note_supervisor(home, Supervisor("launching", "stream", "run", -1, now_ms()))
    beat(home, 1)
    deferral(lambda: stream(home).execute(CONTEXT))
    assert tasks_of(home)[STREAM].dag_id == "launching"
    assert any("task stream of launching, run run supervises the driver of" in line for line in said(capsys))
    beat(home, 1, STOPPED)
    answer(home, ENDED)
    assert [one.dag_id for one in supervisors_of(home, now_ms())] == ["launching"]
