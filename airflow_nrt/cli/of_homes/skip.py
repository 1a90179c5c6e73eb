"""`airflow-nrt skip`: has a home leave out rows of a source that can't be read."""

from __future__ import annotations

import argparse

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
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER
from airflow_nrt.usecases.requests.skip import SkipRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--source", metavar="TABLE", help="the table of the row (default: the only one that is read)")
    parser.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="PLACE",
        help="a row that no entry has read: PARTITION@OFFSET of a topic, FILE@LINE of files; may be repeated "
        "(default: show what is left out)",
    )
    parser.add_argument(
        "--take-back",
        action="store_true",
        help="read these rows after all, if no entry has read them yet (default: leave them out)",
    )
    add_settings(parser)
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.skip import skip, take_back

    request = SkipRequest(
        options.home,
        tuple(options.at),
        options.source,
        options.group,
        options.master or DEFAULT_MASTER,
        settings_of(options),
    )
    done = take_back(request) if options.take_back else skip(request, Steps())
    if options.json:
        print_json(done.to_json())
        return 0
    lines = [f"{source}: {row}" for source, rows in done.rows.items() for row in rows]
    print_lines(*lines, f"{counted(len(lines), 'row')} left out")
    if done.added:
        print_lines("The next driver leaves them out, counts them as rejected, and writes them to the ledger.")
    return 0
