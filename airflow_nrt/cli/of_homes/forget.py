"""`airflow-nrt forget`: shows what a home has, and removes it with its claims on tables."""

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
from airflow_nrt.usecases.requests.forget import ForgetRequest, ForgetResult
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--yes", action="store_true", help="remove it (default: only show its content)")
    add_settings(parser)
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.forget import forget

    master = options.master or DEFAULT_MASTER
    done = forget(ForgetRequest(options.home, options.yes, options.group, master, settings_of(options)), Steps())
    if options.json:
        print_json(done.to_json())
    else:
        print_lines(*_lines(done))
    return 0


def _lines(done: ForgetResult) -> list[str]:
    tables = [f"table       {name}: {directory or 'of a server'}" for name, directory in done.tables.items()]
    if done.is_removed:
        end = "It is removed, and another home can publish to its tables. Their rows stay."
    else:
        end = "With --yes it is removed, and another home can publish to its tables, whose rows stay."
    return [
        f"report      {done.report}",
        f"home        {done.home}, {counted(done.bytes, 'byte')}",
        f"driver      {done.driver}",
        f"log         {counted(done.entries, 'entry')}",
        f"windows     {done.windows} published",
        *tables,
        end,
    ]
