"""`airflow-nrt undo`: a window gets the rows of an older version again, and keeps them."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_json,
    add_master,
    add_settings,
    print_json,
    print_lines,
    settings_of,
)
from airflow_nrt.cli.of_homes.versions import add_window
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER
from airflow_nrt.usecases.requests.versions import UndoRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_window(parser, "the window that ends there", True)
    parser.add_argument(
        "--to",
        type=int,
        metavar="VERSION",
        help="a version that `airflow-nrt versions` lists as kept (default: the one before that of now)",
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="why, for those who look at the window later")
    add_settings(parser)
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.versions.undo import undo

    done = undo(
        UndoRequest(
            options.home,
            options.window,
            options.insert,
            options.to,
            options.reason,
            options.group,
            options.master or DEFAULT_MASTER,
            settings_of(options),
        ),
        Steps(),
    )
    if options.json:
        print_json(done.to_json())
        return 0
    window = f"window [{format_instant(done.start)}, {format_instant(done.end)})"
    print_lines(
        f"{done.insert}, {window}: {counted(done.rows, 'row')} of version {done.to} again, as version {done.version}",
        done.pin,
        "Repairs and backfills leave it as it is. `airflow-nrt backfill --unpin` publishes over it.",
    )
    return 0
