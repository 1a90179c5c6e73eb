"""`airflow-nrt maintain`: compacts the tables of a lakehouse that a report writes into, and removes old versions."""

from __future__ import annotations

import argparse

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
from airflow_nrt.usecases.requests.maintain import KEPT, MaintainRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    parser.add_argument(
        "--keep", metavar="DURATION", default=KEPT, help="how much of the tables' history stays (default: 7 d)"
    )
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.maintain import maintain

    done = maintain(request_of(options), Steps())
    if options.json:
        print_json(done.to_json())
    else:
        tables = done.tables.items()
        print_lines(*(f"{name}: {counted(one.files_before, 'file')} became {one.files_after}" for name, one in tables))
    return 0


def request_of(options: argparse.Namespace) -> MaintainRequest:
    """Raises InputError as `settings_of` does, and for a history that is no duration."""
    return MaintainRequest(report_in_home(options), options.keep)
