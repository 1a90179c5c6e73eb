"""`airflow-nrt stop`: ask the driver of a home to stop after its batch, and wait until it has."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.cli.common import add_home
from airflow_nrt.usecases.requests.stop import StopRequest
from airflow_nrt.usecases.stop import stop


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="how long to wait (default: 120)")


def run(options: argparse.Namespace) -> int:
    done = stop(StopRequest(options.home, options.group, options.timeout))
    if not done.has_stopped:
        raise NrtError(
            f"the driver of epoch {done.epoch} has not stopped within {options.timeout:g} s; the request stands"
        )
    if done.last is None or not done.was_there:
        print(f"no driver is running{'' if done.last is None else f' (the last one {done.end})'}")
    else:
        print(f"the driver of epoch {done.last.epoch} {done.end}")
    return 0
