"""One driver per home, whatever happens to those who supervise it.

            worker        triggerer      driver
launch twice  ├──────────────────────────▶│   one of them
defer         └────────────▶│             │
SIGTERM/KILL                ✗  ──▶ new    │   goes on, is watched again
clear                       ✗  ──▶ adopt  │   goes on
second DAG                     ──▶ adopt  │   goes on
mark failed                 ✗             ▼   stops after its batch
"""

from __future__ import annotations

import signal

import pytest

from airflow_nrt.demo.airflow_client import wait_until
from airflow_nrt.demo.airflow_processes import TRIGGERER
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.ids import home_id
from airflow_nrt.home.notes.supervisors import supervisors_of
from airflow_nrt.launch.launch_records import last_launch
from tests.dags.lab import Lab, driver_of, kill, leases, parent_of, wait_for_end

pytestmark = pytest.mark.slow

TASK = "stream"


def test_a_driver_outlives_everybody_but_the_one_who_gives_it_up(lab: Lab) -> None:
    client, home = lab.client, lab.home("supervised")
    run, too = lab.run("supervised", home), lab.run("supervised_too", home)
    driver = driver_of(home)
    for dag_id, one in {"supervised": run, "supervised_too": too}.items():
        lab.wait_until_watched(dag_id, one, TASK)
    assert (driver_of(home).pid, leases(home)) == (driver.pid, 1), "two tasks that launch at once"

    for number in (signal.SIGTERM, signal.SIGKILL):
        lab.processes.end(TRIGGERER, number)
        lab.processes.launch(TRIGGERER)
        lab.processes.wait_until_healthy()
        assert driver_of(home).pid == driver.pid, f"{number.name} to the triggerer"
        assert client.task_state("supervised", run, TASK) == "deferred", f"{number.name} to the triggerer"

    client.clear("supervised", run, TASK)
    wait_until(
        lambda: client.task("supervised", run, TASK)["try_number"] == 2, 60, "the second attempt of a cleared task"
    )
    # A DAG that comes while the driver runs.
    second = lab.run("supervised_too", home)
    lab.wait_until_watched("supervised", run, TASK)
    assert driver_of(home).pid == driver.pid, "a cleared task"
    assert f"adopting the driver of epoch {driver.epoch}" in client.log("supervised", run, TASK, attempt=2)
    _says_how_it_is_doing(lab, run, home)
    lab.wait_until_watched("supervised_too", second, TASK)
    assert driver_of(home).pid == driver.pid, "a second DAG"
    assert f"adopting the driver of epoch {driver.epoch}" in client.log("supervised_too", second, TASK)

    assert f"task {TASK} of supervised, run {run} supervises the driver of" in client.log(
        "supervised_too", second, TASK
    )

    client.mark("supervised", run, TASK, "failed")
    others = {too, second}
    wait_until(
        lambda: {one.run_id for one in supervisors_of(home, now_ms())} == others, 60, "a task that takes its note away"
    )
    assert driver_of(home).pid == driver.pid, "a task that is given up while others supervise the driver"
    for one in others:
        client.mark("supervised_too", one, TASK, "success")
    assert wait_for_end(home, driver.epoch) == "stopped", "the last task that gives the driver up"
    assert client.run_state("supervised", run) == "failed"
    assert leases(home) == 1


def _says_how_it_is_doing(lab: Lab, run: str, home: Home) -> None:
    """Log, XCom, links and rendered report of a task that is deferred."""
    client, of = lab.client, f"/dags/supervised/dagRuns/{run}/taskInstances/{TASK}"
    status = client.wait_for_xcom("supervised", run, TASK, "status")
    assert (status["report"], status["driver"], status["rows"]) == ("orders_curve", "running", 3001)
    wait_until(
        lambda: client.xcom("supervised", run, TASK, "status")["at"] > status["at"], 60, "the trigger's next status"
    )
    log = client.log("supervised", run, TASK, attempt=2)
    for line in (f"home {home.path}", f"driver log {home.driver_log}", "Spark UI none", "; orders_curve running"):
        assert line in log
    links = client.get(f"{of}/links")["extra_links"]
    assert links["Report"].endswith(f"/nrt/#/report/{home_id(home.path)}")
    assert links["Driver log"].endswith(f"/nrt/api/reports/{home_id(home.path)}/log")
    sql = client.get(of)["rendered_fields"]["sql"]
    assert sql.startswith("-- Buyers, orders and turnover") and "${DATA}" in sql


def test_a_worker_killed_between_launch_and_deferral_leaves_one_driver(lab: Lab) -> None:
    client, home, empty = lab.client, lab.home("orphan"), lab.root / "data-empty"
    (empty / "orders").mkdir(parents=True)
    run = lab.run("supervised", home, data=str(empty))
    wait_until(lambda: home.launches.exists() and last_launch(home) is not None, 90, "a launch")
    launch = last_launch(home)
    assert launch is not None
    kill(parent_of(launch.launcher.pid))

    driver = driver_of(home)
    assert driver.launch == launch.id
    client.wait_for_task("supervised", run, TASK, "deferred")
    assert client.task("supervised", run, TASK)["try_number"] == 2
    assert driver_of(home).pid == driver.pid
    assert leases(home) == 1

    stopping = lab.run("stopping", home)
    assert client.wait_for_run("stopping", stopping) == "success"
    assert client.wait_for_run("supervised", run) == "success"


@pytest.mark.thorough
def test_a_report_that_is_changed_while_it_runs(lab: Lab) -> None:
    """Its task replaces the driver by one that computes both, and all who supervise it follow."""
    client, home = lab.client, lab.home("changing")
    reports = lab.root / "dags" / "reports"
    script = (reports / "orders_curve.sql").read_text()
    (reports / "changing.sql").write_text(script)
    first = lab.run("changing", home)
    before = driver_of(home)
    lab.wait_until_watched("changing", first, TASK)
    wait_until(lambda: home.log().position().windows > 0, 60, "a window")
    assert "'10' MINUTES" in script
    (reports / "changing.sql").write_text(script.replace("'10' MINUTES", "'20' MINUTES"))
    second = lab.run("changing", home)
    wait_until(lambda: lab.home("changing").generation == 2, 180, "the changed report")
    changed = lab.home("changing")
    driver = driver_of(changed)
    assert driver.pid != before.pid and driver.epoch > before.epoch
    for run in (first, second):
        wait_until(
            lambda run=run: client.xcom("changing", run, TASK, "status")["epoch"] == driver.epoch, 90, "the new driver"
        )
    assert client.xcom("changing", second, TASK, "status")["windows"] == changed.log().position().windows > 0
    lab.wait_until_watched("changing", first, TASK)
    assert client.wait_for_run("stopping", lab.run("stopping", home)) == "success"
    assert [client.wait_for_run("changing", run) for run in (first, second)] == ["success", "success"]


def test_wrong_input_fails_at_once_without_a_driver(lab: Lab) -> None:
    """What else is refused is in `tests/operators/test_values_of_run.py` and `tests/hooks`."""
    complaint = "home: a run of the DAG has chosen it"
    client, home = lab.client, lab.home("elsewhere")
    run = lab.run("supervised", home, home="../../home")
    assert client.wait_for_run("supervised", run) == "failed"
    # A line of its own, and the message of the exception.
    log = client.log("supervised", run, TASK).splitlines()
    assert any(line.startswith(complaint) for line in log)
    assert any(line.startswith(f"AirflowFailException: {complaint}") for line in log)
    assert client.task("supervised", run, TASK)["try_number"] == 1
    assert not home.path.exists()
