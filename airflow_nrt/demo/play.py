"""The steps of the demonstration: a day of orders under a real Airflow, a killed driver, a backfill, a flipped cell, a
repair."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pendulum

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import from_datetime
from airflow_nrt.demo.airflow_client import AirflowClient, wait_until
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.explained_row import explained_row
from airflow_nrt.demo.generator import DAY
from airflow_nrt.demo.scene import Scene
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.sources.source import ArchiveVerdicts
from airflow_nrt.demo.summary import Summary, row_counts, unequal_records
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
    screen.step(f"orders of {DAY:%Y-%m-%d} begin to arrive, a day in about a minute")
    with scene.source.arriving(scene.child):
        screen.step(f"the DAG {scene.dags.live} submits {scene.report.name} to Spark and defers")
        run = client.trigger(scene.dags.live, "demo")
        kills = watch(scene, client, run, screen)
    screen.step("the day is over: asking the driver to stop")
    scene.home.ask_to_stop()
    if (state := client.wait_for_run(scene.dags.live, run)) != "success":
        raise NrtError(f"the run of {scene.dags.live} ended {state}")
    with scene.source.archives(scene.verify) as archives, scene.sink.flip(scene.home, scene.verify, screen) as flipped:
        verdict = backfill(scene.dags.backfill, client, screen)
        archived = archive_verdicts(archives, screen)
        shown = explained_row(scene.home, scene.sink, MIDNIGHT)
        screen.lines(shown.lines())
        flip = flipped(PATIENCE)
    repaired = repair(scene.dags.repair, client, screen)
    after = scene.sink.row(scene.home, shown.shop, shown.end)
    screen.lines([f"  the row of shop {shown.shop}, its late orders included: {after}"])
    late = read_status(scene.home).late
    return Summary(verdict, flip, kills, late, repaired, shown.explains(after), archived, shown.end)


def watch(scene: Scene, client: AirflowClient, run: str, screen: Screen) -> int:
    """Draws the curve until midnight was published, and kills the driver once in between; returns how often it did."""
    home = scene.home
    plan = load_report(scene.report, scene.settings)

    def why() -> str:
        log = client.log(scene.dags.live, run, "stream")[-2000:]
        return f"{scene.dags.live} is {client.run_state(scene.dags.live, run)}\n{log}"

    wait_until(home.report_file.exists, PATIENCE, "the driver's home", why)
    curve = scene.sink.curve(home, Outline.of(plan))
    deadline = time.monotonic() + PATIENCE
    killed: Heartbeat | None = None
    while True:
        status = read_status(home)
        screen.curve(curve, status, MIDNIGHT)
        beat = status.heartbeat
        if killed is None and beat is not None and status.driver == "running" and status.windows >= KILL_AFTER:
            os.kill(beat.pid, signal.SIGKILL)
            killed = beat
            screen.step(f"kill -9 {beat.pid}: the driver is dead after {status.windows} windows")
        elif killed is not None and beat is not None and beat.epoch > killed.epoch and status.driver == "running":
            screen.step(f"supervision has started driver {beat.pid}, epoch {beat.epoch}: the curve goes on")
            break
        if time.monotonic() > deadline:
            raise NrtError(f"waited {PATIENCE:g} s for the curve: {why()}")
        time.sleep(0.2)
    while (status := read_status(home)).last_window is None or status.last_window < MIDNIGHT:
        screen.curve(curve, status, MIDNIGHT)
        if time.monotonic() > deadline:
            raise NrtError(f"waited {PATIENCE:g} s for midnight: {why()}")
        time.sleep(0.2)
    screen.picture(curve, read_status(home), MIDNIGHT)
    return 1


def backfill(dag: str, client: AirflowClient, screen: Screen) -> dict[str, Any]:
    """A backfill of the day through Airflow's REST API; returns the verdict in the XCom of its run."""
    screen.step(f"a backfill of {DAY:%Y-%m-%d}, asked for through Airflow's REST API, computes the day in batch")
    day = DAY.strftime("%Y-%m-%dT00:00:00Z")
    client.backfill(dag, day, day)
    wait_until(lambda: bool(client.runs(dag)), 60, f"a run of {dag}")
    run = client.runs(dag)[0]["dag_run_id"]
    _wait_for_success(client, dag, run, "backfill")
    verdict: dict[str, Any] = client.xcom(dag, run, "backfill")["verdict"]
    rows = row_counts(verdict)
    screen.step(
        f"of {rows.all} published rows {rows.equal} are equal to the batch, {rows.explained} differ because of late "
        f"rows, {rows.unexplained} for no reason"
    )
    return verdict


def repair(dag: str, client: AirflowClient, screen: Screen) -> dict[str, Any]:
    """Publishes the day again with its late rows; returns the verdict afterwards."""
    screen.step(f"the DAG {dag} publishes the day again, late rows included, and verifies it")
    run = client.trigger(dag, "demo", {"day": DAY.strftime("%Y-%m-%d")})
    _wait_for_success(client, dag, run, "prove")
    verdict: dict[str, Any] = client.xcom(dag, run, "prove")
    rows = row_counts(verdict)
    screen.step(f"of {rows.all} published rows {rows.equal} are equal to the batch")
    return verdict


def archive_verdicts(archives: ArchiveVerdicts, screen: Screen) -> Sequence[Mapping[str, Any]]:
    """What the comparisons of archives with their topics say."""
    verdicts = archives(PATIENCE)
    for one in verdicts:
        screen.step(
            f"the archive {one['archive']} was compared with the topic: {one['equal']} records are equal, "
            f"{unequal_records(one)} are not"
        )
    return verdicts


def _wait_for_success(client: AirflowClient, dag: str, run: str, last_task: str) -> None:
    if (state := client.wait_for_run(dag, run, PATIENCE)) != "success":
        raise NrtError(f"the run of {dag} ended {state}:\n{client.log(dag, run, last_task)[-2000:]}")
