"""`airflow-nrt demo`: the product in four minutes, in a temporary directory of its own."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo import example_dags


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", action="store_true", help="leave Airflow up afterwards, and say how to stop it")
    parser.add_argument("--dags", type=Path, default=example_dags(), help="the DAGs of the demonstration")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.demo.endings import end_as_by_ctrl_c
    from airflow_nrt.demo.play import play
    from airflow_nrt.demo.scene import DAGS, Scene, stage
    from airflow_nrt.demo.screen import Screen

    missing = [name for name in DAGS if not (options.dags / f"{name}.py").exists()]
    if missing:
        raise InputError(f"{options.dags} has no {missing[0]}.py: give the directory of the example DAGs as --dags")
    end_as_by_ctrl_c()
    screen = Screen()
    place = Path(tempfile.mkdtemp(prefix="airflow-nrt-demo-"))
    scene = Scene(place, options.dags.absolute())
    keep = False
    try:
        screen.step("Airflow starts: SQLite, LocalExecutor, four processes on 127.0.0.1")
        with stage(scene) as airflow:
            screen.step(f"Airflow is up at {airflow.url}")
            summary = play(scene, airflow, screen)
            if options.keep:
                keep = True
                pids = " ".join(str(pid) for pid in airflow.release())
                screen.step(f"Airflow stays up at {airflow.url}; stop it with: kill {pids}; rm -r {place}")
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
    print("\n".join(summary.lines()), flush=True)
    return 0 if summary.holds else 1
