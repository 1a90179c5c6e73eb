"""`airflow-nrt reopen`: has a home read what came into directories of a source after they were closed."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import add_home, add_json, print_json, print_lines
from airflow_nrt.usecases.reopen import reopen
from airflow_nrt.usecases.requests.reopen import ReopenRequest, ReopenResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directories",
        nargs="*",
        metavar="DIR",
        help="a closed directory, which the next driver opens again (default: show where files are unread)",
    )
    add_home(parser)
    parser.add_argument(
        "--source", metavar="TABLE", help="the table of the directories (default: the only one that has closed any)"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    request = ReopenRequest(options.home, tuple(options.directories), options.source, options.group)
    done = reopen(request)
    if options.json:
        print_json(done.to_json())
    else:
        print_lines(*_lines(done))
    return 0


def _lines(done: ReopenResult) -> list[str]:
    unread = [
        f"{source}: {directory}: {counted(one.files, 'file')} ({counted(one.size, 'byte')}) unread"
        for source, directories in done.unread.items()
        for directory, one in directories.items()
    ]
    closed = [f"{source}: {counted(count, 'directory')} closed" for source, count in done.closed.items()]
    opening = [
        f"{source}: {directory}: the next driver opens it"
        for source, directories in done.opening.items()
        for directory in directories
    ]
    return [*unread, *(closed or ["no directory of a source is closed"]), *opening]
