"""`airflow-nrt demo`: the product in five minutes, in a temporary directory of its own."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo import example_dags
from airflow_nrt.model.options.known import nearest

if TYPE_CHECKING:
    from airflow_nrt.demo.scene import Scene
    from airflow_nrt.demo.screen import Screen

Chosen = TypeVar("Chosen")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", default="files", help="where orders arrive: files (default), or kafka")
    parser.add_argument("--sink", default="files", help="where the curve is published: files (default), or postgres")
    parser.add_argument("--keep", action="store_true", help="leave Airflow up afterwards, and say how to stop it")
    parser.add_argument("--dags", type=Path, default=example_dags(), help="the DAGs of the demonstration")
    parser.add_argument("--repository", metavar="URL", help="a Maven repository that is asked before Maven Central")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.demo.endings import end_as_by_ctrl_c
    from airflow_nrt.demo.play import play
    from airflow_nrt.demo.scene import Scene, stage
    from airflow_nrt.demo.screen import Screen
    from airflow_nrt.demo.sinks import SINKS
    from airflow_nrt.demo.sources import SOURCES

    source, sink = _chosen("source", options.source, SOURCES), _chosen("sink", options.sink, SINKS)
    end_as_by_ctrl_c()
    screen = Screen()
    place = Path(tempfile.mkdtemp(prefix="airflow-nrt-demo-"))
    scene = Scene(place, options.dags.absolute(), source(place), sink(place))
    keep = False
    try:
        scene.check()
        _fetch(scene, options.repository, screen)
        screen.step("Airflow starts: SQLite, LocalExecutor, four processes on 127.0.0.1")
        with stage(scene) as airflow:
            screen.step(f"Airflow is up at {airflow.url}")
            summary = play(scene, airflow, screen)
            if options.keep:
                keep = True
                pids = " ".join(map(str, (*airflow.release(), *scene.sink.pids, *scene.source.pids)))
                screen.step(f"Airflow stays up at {airflow.url}; stop it with: kill {pids}; rm -r {place}")
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
    print("\n".join(summary.lines()), flush=True)
    return 0 if summary.holds else 1


def _chosen(option: str, name: str, kinds: Mapping[str, Chosen]) -> Chosen:
    if name not in kinds:
        raise InputError(f"--{option} is {' or '.join(kinds)}, not {name!r}{nearest(name, kinds)}")
    return kinds[name]


def _fetch(scene: Scene, repository: str | None, screen: Screen) -> None:
    """What `airflow-nrt prepare` fetches, and servers."""
    from airflow_nrt.basics.jars import JARS, fetched

    names = [name for endpoint in (scene.source, scene.sink) for name in endpoint.jars if not fetched(name)]
    if names:
        from airflow_nrt.engine.java.fetch_jars import fetch_jars

        screen.step(f"Spark's jars are fetched: airflow-nrt prepare {' '.join(names)}")
        for name in names:
            fetch_jars(JARS[name], repository)
    for endpoint in (scene.source, scene.sink):
        if not endpoint.is_fetched():
            screen.step(f"a server is fetched, once: {endpoint.name}")
            endpoint.fetch(repository)
