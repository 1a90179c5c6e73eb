"""`airflow-nrt demo`: the product in four minutes, in a temporary directory of its own."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import airflow_nrt
from airflow_nrt.report.errors import InputError

DAGS = Path(airflow_nrt.__file__).parents[1] / "dags"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", action="store_true", help="leave Airflow up afterwards, and say how to stop it")
    parser.add_argument("--dags", type=Path, default=DAGS, help="the DAGs of the demonstration (default: the clone's)")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.demo.endings import end_as_by_ctrl_c
    from airflow_nrt.demo.play import Scene, play, stage
    from airflow_nrt.demo.screen import Screen

    if not (options.dags / "orders_curve.py").exists():
        raise InputError(f"the DAGs of the demonstration are not in {options.dags}: run it in a clone, or give --dags")
    end_as_by_ctrl_c()
    screen = Screen()
    place = Path(tempfile.mkdtemp(prefix="airflow-nrt-demo-"))
    keep = False
    try:
        screen.step("Airflow starts: SQLite, LocalExecutor, four processes on 127.0.0.1")
        with stage(Scene(place, options.dags.absolute())) as airflow:
            screen.step(f"Airflow is up at {airflow.url}")
            summary = play(Scene(place, options.dags.absolute()), airflow, screen)
            if options.keep:
                keep = True
                pids = " ".join(str(pid) for pid in airflow.release())
                screen.step(f"Airflow stays up at {airflow.url}; stop it with: kill {pids}; rm -r {place}")
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
    print("\n".join(summary.lines()), flush=True)
    return 0 if summary.holds else 1
