"""The demonstration: a day of orders under a real Airflow, with a killed driver, a backfill and a flipped cell."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pendulum

from airflow_nrt.cli.curve import CurveReader
from airflow_nrt.demo.airflow_client import AirflowClient, wait_until
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.endings import kill_all_with, undisturbed
from airflow_nrt.demo.flipping import flip_one_cell
from airflow_nrt.demo.generator import DAY
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.summary import Summary
from airflow_nrt.report.errors import NrtError
from airflow_nrt.report.heartbeat import Heartbeat
from airflow_nrt.report.home import Home
from airflow_nrt.report.instants import format_instant, from_datetime, parse_instant
from airflow_nrt.report.outline import Outline
from airflow_nrt.report.status import read_status
from airflow_nrt.sql.load import load_report

LIVE, BACKFILL = "orders_curve", "orders_curve_backfill"
KILL_AFTER = 50
"""Windows published when the driver is killed: in the middle of the day."""
PATIENCE = 480.0
MINUTES_10 = 600_000


@dataclass(frozen=True)
class Scene:
    """Where the demonstration plays: `data` holds the tables, `home` is the report's, `dags` are the project's."""

    place: Path
    dags: Path

    @property
    def data(self) -> Path:
        return self.place / "data"

    @property
    def home(self) -> Home:
        return Home.at(self.place / "home")

    @property
    def report(self) -> Path:
        return self.dags / "reports" / "orders_curve.sql"

    @property
    def environment(self) -> dict[str, str]:
        return {"ORDERS_DATA": str(self.data), "ORDERS_HOME": str(self.home.path), **self.mark}

    @property
    def mark(self) -> dict[str, str]:
        """The variable by which all processes of this demonstration are known, drivers among them."""
        return {"NRT_DEMO": str(self.place)}


@contextlib.contextmanager
def stage(scene: Scene) -> Iterator[AirflowProcesses]:
    """Airflow, up; afterwards the driver and Airflow are gone, unless Airflow was released."""
    (scene.data / "orders").mkdir(parents=True)
    airflow = AirflowProcesses(scene.place / "airflow", scene.dags, scene.environment)
    try:
        airflow.start()
        for dag in (LIVE, BACKFILL):
            airflow.client.wait_for_dag(dag)
        yield airflow
    finally:
        with undisturbed():
            try:
                airflow.stop()
            finally:
                if not airflow.is_released:
                    kill_all_with(scene.mark)


def play(scene: Scene, airflow: AirflowProcesses, screen: Screen) -> Summary:
    """All steps once Airflow is up. Raises NrtError where something does not happen in time."""
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
        flipped = flip_verdict(checking, flipped_window, screen)
    return Summary(verdict, flipped, flipped_window, kills)


@contextlib.contextmanager
def generator(scene: Scene, screen: Screen) -> Iterator[None]:
    """Orders arriving, a day in a minute."""
    screen.step(f"orders of {DAY:%Y-%m-%d} begin to arrive, a day in about a minute")
    command = [sys.executable, "-m", "airflow_nrt.demo.generator", "--out", str(scene.data / "orders")]
    with _child(scene, command) as process:
        try:
            yield
        finally:
            process.kill()


def watch(scene: Scene, client: AirflowClient, run: str, screen: Screen) -> int:
    """Draws the curve until midnight was published, and kills the driver once on the way; gives how often it did."""
    home = scene.home
    plan = load_report(scene.report, {"DATA": str(scene.data)})
    midnight = from_datetime(pendulum.instance(DAY).add(days=1))
    wait_until(home.report_file.exists, PATIENCE, "the driver's home", lambda: _why(client, run))
    reader = CurveReader.of(home, Outline.of(plan))
    deadline = time.monotonic() + PATIENCE
    killed: Heartbeat | None = None
    while True:
        status = read_status(home)
        screen.curve(reader, status, midnight)
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
    while (status := read_status(home)).last_window is None or status.last_window < midnight:
        screen.curve(reader, status, midnight)
        if time.monotonic() > deadline:
            raise NrtError(f"waited {PATIENCE:g} s for midnight: {_why(client, run)}")
        time.sleep(0.2)
    screen.picture(reader, read_status(home), midnight)
    return 1


def backfill(scene: Scene, client: AirflowClient, screen: Screen) -> dict[str, Any]:
    """A backfill of the day through Airflow's REST API; gives the verdict that its run left in XCom."""
    screen.step(f"a backfill of {DAY:%Y-%m-%d}, asked for through Airflow's REST API")
    day = DAY.strftime("%Y-%m-%dT00:00:00Z")
    client.backfill(BACKFILL, day, day)
    wait_until(lambda: bool(client.runs(BACKFILL)), 60, f"a run of {BACKFILL}")
    run = client.runs(BACKFILL)[0]["dag_run_id"]
    state = client.wait_for_run(BACKFILL, run, PATIENCE)
    if state != "success":
        raise NrtError(f"the backfill ended {state}:\n{client.log(BACKFILL, run, 'backfill')[-2000:]}")
    verdict: dict[str, Any] = client.xcom(BACKFILL, run, "backfill")["verdict"]
    screen.step(f"the batch agrees: {verdict['windows']} windows, {verdict['unexplained']} unexplained")
    return verdict


@contextlib.contextmanager
def verification_of_copy(scene: Scene, screen: Screen) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A copy of the published table with one flipped cell, and its verification while it runs."""
    copy = scene.place / "copy"
    file = flip_one_cell(scene.data / "orders_curve", copy, "buyers")
    end = _window_end(file)
    screen.step(f"one cell of a copy is flipped, in the window that ends at {end}: will a verification find it?")
    command = [
        sys.executable, "-m", "airflow_nrt.cli.main", "verify", str(scene.report), "--home", str(scene.home.path),
        "--set", f"DATA={scene.data}", "--published", str(copy), "--master", "local[1]", "--json",
        "--start", format_instant(parse_instant(end) - 3 * MINUTES_10), "--end", format_instant(parse_instant(end)),
    ]  # fmt: skip
    with (scene.place / "copy.log").open("w") as log:
        process = _child(scene, command, stdout=subprocess.PIPE, stderr=log)
    try:
        yield end, process
    finally:
        process.kill()
        process.wait()


def flip_verdict(process: subprocess.Popen[str], end: str, screen: Screen) -> dict[str, Any]:
    """What the verification of the copy found."""
    output, _ = process.communicate(timeout=PATIENCE)
    try:
        verdict: dict[str, Any] = json.loads(output)
    except ValueError:
        raise NrtError(f"the verification of the copy ended {process.returncode} without a verdict") from None
    named = [format_instant(bad["end"]) for insert in verdict["inserts"] for bad in insert["bad"]]
    screen.step(f"verification of the copy: exit status {process.returncode}, it names {', '.join(named) or 'nothing'}")
    return {**verdict, "proven": verdict["proven"] or named != [end] or process.returncode != 1}


def _child(scene: Scene, command: list[str], **streams: Any) -> subprocess.Popen[str]:
    """A process of the scene. A Ctrl-C of the terminal does not reach it: the demonstration ends it."""
    environment = {**os.environ, **scene.environment}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, text=True, start_new_session=True, **streams
    )


def _why(client: AirflowClient, run: str) -> str:
    return f"{LIVE} is {client.run_state(LIVE, run)}\n{client.log(LIVE, run, 'stream')[-2000:]}"


def _window_end(file: Path) -> str:
    """`…-20240618T120000.parquet` ends at 2024-06-18 12:00:00."""
    return pendulum.from_format(file.stem.rpartition("-")[2], "YYYYMMDD[T]HHmmss").to_datetime_string()
