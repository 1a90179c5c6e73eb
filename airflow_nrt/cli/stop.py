"""`airflow-nrt stop`: ask the driver of a home to stop after its batch, and wait until it has."""

from __future__ import annotations

import argparse
import time

from airflow_nrt.cli.common import add_home
from airflow_nrt.report.errors import NrtError
from airflow_nrt.report.heartbeat import read_heartbeat
from airflow_nrt.report.home import Home


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="how long to wait (default: 120)")


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home)
    beat = read_heartbeat(home.heartbeat_file)
    if beat is None or beat.is_over:
        print("no driver is running" if beat is None else f"no driver is running (the last one {beat.state})")
        return 0
    epoch = home.ask_to_stop()
    deadline = time.monotonic() + options.timeout
    while time.monotonic() < deadline:
        beat = read_heartbeat(home.heartbeat_file)
        if beat is not None and beat.is_over:
            print(f"the driver of epoch {epoch} {beat.state}")
            return 0
        time.sleep(0.2)
    raise NrtError(f"the driver of epoch {epoch} has not stopped within {options.timeout:g} s; the request stands")
