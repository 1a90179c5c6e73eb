"""`airflow-nrt set-aside`: takes the rows that a sink refuses out of the results that wait for it."""

from __future__ import annotations

import argparse
import json

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
from airflow_nrt.usecases.requests.set_aside import SetAsideRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.set_aside import set_aside

    done = set_aside(request_of(options), Steps())
    if options.json:
        print_json(done.to_json())
        return 0
    for one in done.rows:
        print_lines(f"{one.insert}, log entry {one.entry}: {json.dumps(one.row, ensure_ascii=False)}: {one.reason}")
    print_lines(f"{len(done.rows)} rows set aside; airflow-nrt late shows them again")
    return 0


def request_of(options: argparse.Namespace) -> SetAsideRequest:
    """Raises InputError as `settings_of` does."""
    return SetAsideRequest(report_in_home(options))
