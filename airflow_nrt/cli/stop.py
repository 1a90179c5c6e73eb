"""`airflow-nrt stop`: ask the driver of a home to stop after its batch, and wait until it has."""

from __future__ import annotations

import argparse
import time

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.cli.common import add_home
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.living import DIED, is_stopping
from airflow_nrt.launch.processes import driver_process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="how long to wait (default: 120)")


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    # Asked in any case: a driver that is being launched, or launched again, must stop too.
    epoch = home.ask_to_stop()
    was_there = False
    deadline = time.monotonic() + options.timeout
    while is_stopping(home):
        was_there = True
        if time.monotonic() > deadline:
            raise NrtError(
                f"the driver of epoch {epoch} has not stopped within {options.timeout:g} s; the request stands"
            )
        time.sleep(0.2)
    beat = read_heartbeat(home.heartbeats)
    if beat is None or not was_there:
        print(f"no driver is running{'' if beat is None else f' (the last one {_end_of(beat)})'}")
    else:
        print(f"the driver of epoch {beat.epoch} {_end_of(beat)}")
    return 0


def _end_of(beat: Heartbeat) -> str:
    if beat.is_over:
        return beat.state
    return DIED if driver_process(beat).is_gone() else "fell silent"
