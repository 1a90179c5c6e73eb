"""`airflow-nrt set-aside`: names the decided rows that a table refuses, and goes on without them."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_json,
    add_master,
    add_report,
    print_json,
    print_lines,
    report_in_home,
)
from airflow_nrt.usecases.requests.set_aside import SetAsideRequest, SetAsideResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    parser.add_argument(
        "--take-back",
        action="store_true",
        help="forget all rows that were set aside: a backfill writes them again (default: look for refused rows)",
    )
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.set_aside import set_aside_refused, take_back_all

    request = SetAsideRequest(report_in_home(options))
    done = take_back_all(request) if options.take_back else set_aside_refused(request, Steps())
    if options.json:
        print_json(done.to_json())
    else:
        print_lines(*_lines(done, "taken back" if options.take_back else "set aside"))
    return 0


def _lines(done: SetAsideResult, what: str) -> list[str]:
    rows = [
        f"{one.insert}, entry {one.entry}"
        + (f", window to {format_instant(one.end)}" if one.end is not None else "")
        + f": {one.row}: {one.reason}"
        for one in done.rows
    ]
    return [*rows, f"{counted(len(done.rows), 'row')} {what}"]
