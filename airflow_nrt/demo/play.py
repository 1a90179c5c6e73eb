"""The steps of the demonstration: a day of orders under a real Airflow, a killed driver, a backfill, a flipped cell, a
repair."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pendulum

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import from_datetime
from airflow_nrt.curve import CurveReader
from airflow_nrt.demo.airflow_client import AirflowClient, wait_until
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.explained import curve_row, explained_row
from airflow_nrt.demo.flipping import flip_verdict, verification_of_copy
from airflow_nrt.demo.generator import DAY
from airflow_nrt.demo.scene import BACKFILL, LIVE, REPAIR, Scene
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.summary import Summary, row_counts
from airflow_nrt.home.heartbeat import Heartbeat
from airflow_nrt.home.outline import Outline
from airflow_nrt.home.status import read_status
from airflow_nrt.sql.load import load_report

KILL_AFTER = 50
"""Windows published when the driver is killed: in the middle of the day."""
PATIENCE = 480.0
MIDNIGHT = from_datetime(pendulum.instance(DAY).add(days=1))


def play(scene: Scene, airflow: AirflowProcesses, screen: Screen) -> Summary:
    """All steps, once Airflow is up. Raises NrtError if something does not happen in time."""
    client = airflow.client
    with generator(scene, screen):
        screen.step(f"the DAG {LIVE} submits {scene.report.name} to Spark and defers")
        run = client.trigger(LIVE, "demo")
        kills = watch(scene, client, run, screen)
    screen.step("the day is over: asking the driver to stop")
    scene.home.ask_to_stop()
    if (state := client.wait_for_run(LIVE, run)) != "success":
        raise NrtError(f"the run of {LIVE} ended {state}")
    with verification_of_copy(scene, screen) as (flipped_window, checking):
        verdict = backfill(scene, client, screen)
        shown = explained_row(scene.home, scene.table, MIDNIGHT)
        screen.lines(shown.lines())
        flipped = flip_verdict(checking, flipped_window, screen, PATIENCE)
    repaired = repair(client, screen)
    after = curve_row(scene.home, scene.table, shown.shop, shown.end)
    screen.lines([f"  the row of shop {shown.shop}, its late orders included: {after}"])
    return Summary(verdict, flipped, flipped_window, kills, repaired, shown.explains(after))


@contextlib.contextmanager
def generator(scene: Scene, screen: Screen) -> Iterator[None]:
    """Inside, orders arrive, a day in a minute."""
    screen.step(f"orders of {DAY:%Y-%m-%d} begin to arrive, a day in about a minute")
    command = [sys.executable, "-m", "airflow_nrt.demo.generator", "--out", str(scene.data / "orders")]
    with scene.child(command) as process:
        try:
            yield
        finally:
            process.kill()


def watch(scene: Scene, client: AirflowClient, run: str, screen: Screen) -> int:
    """Draws the curve until midnight was published, and kills the driver once in between; returns how often it did."""
    home = scene.home
    plan = load_report(scene.report, {"DATA": str(scene.data)})
    wait_until(home.report_file.exists, PATIENCE, "the driver's home", lambda: _why(client, run))
    reader = CurveReader.of(home, Outline.of(plan))
    deadline = time.monotonic() + PATIENCE
    killed: Heartbeat | None = None
    while True:
        status = read_status(home)
        screen.curve(reader, status, MIDNIGHT)
        beat = status.heartbeat
        if killed is None and beat is not None and status.driver == "running" and status.windows >= KILL_AFTER:
            os.kill(beat.pid, signal.SIGKILL)
            killed = beat
            screen.step(f"kill -9 {beat.pid}: the driver is dead after {status.windows} windows")
        elif killed is not None and beat is not None and beat.epoch > killed.epoch and status.driver == "running":
            screen.step(f"supervision has started driver {beat.pid}, epoch {beat.epoch}: the curve goes on")
            break
        if time.monotonic() > deadline:
            raise NrtError(f"waited {PATIENCE:g} s for the curve: {_why(client, run)}")
        time.sleep(0.2)
    while (status := read_status(home)).last_window is None or status.last_window < MIDNIGHT:
        screen.curve(reader, status, MIDNIGHT)
        if time.monotonic() > deadline:
            raise NrtError(f"waited {PATIENCE:g} s for midnight: {_why(client, run)}")
        time.sleep(0.2)
    screen.picture(reader, read_status(home), MIDNIGHT)
    return 1


def backfill(scene: Scene, client: AirflowClient, screen: Screen) -> dict[str, Any]:
    """A backfill of the day through Airflow's REST API; returns the verdict in the XCom of its run."""
    screen.step(f"a backfill of {DAY:%Y-%m-%d}, asked for through Airflow's REST API, computes the day in batch")
    day = DAY.strftime("%Y-%m-%dT00:00:00Z")
    client.backfill(BACKFILL, day, day)
    wait_until(lambda: bool(client.runs(BACKFILL)), 60, f"a run of {BACKFILL}")
    run = client.runs(BACKFILL)[0]["dag_run_id"]
    _wait_for_success(client, BACKFILL, run, "backfill")
    verdict: dict[str, Any] = client.xcom(BACKFILL, run, "backfill")["verdict"]
    rows = row_counts(verdict)
    screen.step(
        f"of {rows.all} published rows {rows.equal} are equal to the batch, {rows.explained} differ because of late "
        f"rows, {rows.unexplained} for no reason"
    )
    return verdict


def repair(client: AirflowClient, screen: Screen) -> dict[str, Any]:
    """Publishes the day again with its late rows; returns the verdict afterwards."""
    screen.step(f"the DAG {REPAIR} publishes the day again, late rows included, and verifies it")
    run = client.trigger(REPAIR, "demo", {"day": DAY.strftime("%Y-%m-%d")})
    _wait_for_success(client, REPAIR, run, "prove")
    verdict: dict[str, Any] = client.xcom(REPAIR, run, "prove")
    rows = row_counts(verdict)
    screen.step(f"of {rows.all} published rows {rows.equal} are equal to the batch")
    return verdict


def _wait_for_success(client: AirflowClient, dag: str, run: str, last_task: str) -> None:
    if (state := client.wait_for_run(dag, run, PATIENCE)) != "success":
        raise NrtError(f"the run of {dag} ended {state}:\n{client.log(dag, run, last_task)[-2000:]}")


def _why(client: AirflowClient, run: str) -> str:
    return f"{LIVE} is {client.run_state(LIVE, run)}\n{client.log(LIVE, run, 'stream')[-2000:]}"
