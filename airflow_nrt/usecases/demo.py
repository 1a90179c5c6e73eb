"""The demonstration, in a temporary directory of its own, which is gone afterwards unless it is kept."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from airflow_nrt.basics.jars import JARS, fetched
from airflow_nrt.demo.airflow_processes import USER, AirflowProcesses
from airflow_nrt.demo.play import play
from airflow_nrt.demo.scene import Scene, stage
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.sinks import SINKS
from airflow_nrt.demo.sources import SOURCES
from airflow_nrt.demo.tour import ENTER, LATER, Tour
from airflow_nrt.home.ids import home_id
from airflow_nrt.usecases.requests.demo import DemoRequest, DemoResult, StillUp


def demo(request: DemoRequest, screen: Screen) -> DemoResult:
    """The screen shows the steps while they happen.

    Raises InputError for what this machine lacks, and NrtError if something does not happen in time.
    """
    place = Path(tempfile.mkdtemp(prefix="airflow-nrt-demo-"))
    still_up = None
    try:
        scene = Scene(place, request.dags.absolute(), SOURCES[request.source](place), SINKS[request.sink](place))
        scene.check()
        _fetch(scene, request.repository, screen)
        screen.step("Airflow starts: SQLite, LocalExecutor, four processes on 127.0.0.1")
        with stage(scene) as airflow:
            screen.step(f"Airflow is up at {airflow.url}: sign in as {USER}, password {airflow.password}")
            summary = play(scene, airflow, screen)
            tour = Tour(airflow.url, USER, airflow.password, scene.dags.live, home_id(scene.home.path), summary.window)
            if request.keep:
                still_up = _released(scene, airflow)
                screen.lines([*summary.lines(), *tour.lines(), f"  the end   {still_up.end}"])
            elif screen.is_watched:
                screen.lines([*summary.lines(), *tour.lines(), f"  {ENTER}"])
                screen.wait_for_enter()
            else:
                screen.lines(["", f"  {LATER}", *summary.lines()])
    finally:
        if still_up is None:
            shutil.rmtree(place, ignore_errors=True)
    return DemoResult(summary, still_up)


def _released(scene: Scene, airflow: AirflowProcesses) -> StillUp:
    pids = (*airflow.release(), *scene.sink.pids, *scene.source.pids)
    return StillUp(pids, scene.place)


def _fetch(scene: Scene, repository: str | None, screen: Screen) -> None:
    """What `airflow-nrt prepare` fetches, and servers."""
    names = [name for endpoint in (scene.source, scene.sink) for name in endpoint.jars if not fetched(name)]
    if names:
        from airflow_nrt.engine.java.fetch_jars import fetch_jars

        screen.step(f"Spark's jars are fetched: airflow-nrt prepare {' '.join(names)}")
        fetch_jars([jar for name in names for jar in JARS[name]], repository, screen.step)
    for endpoint in (scene.source, scene.sink):
        if not endpoint.is_fetched():
            screen.step(f"a server is fetched, once: {endpoint.name}")
            endpoint.fetch(repository)
