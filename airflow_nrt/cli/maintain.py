"""`airflow-nrt maintain`: compacts the tables of a lakehouse that a report writes into, and removes old versions."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_json,
    add_master,
    add_report,
    print_json,
    print_lines,
    read_plan,
    session,
)
from airflow_nrt.home.home import Home
from airflow_nrt.table.reports.load import plan_of_home


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    parser.add_argument(
        "--keep", metavar="DURATION", default="7 d", help="how much of the tables' history stays (default: 7 d)"
    )
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.maintain import check_keep, maintain

    plan = read_plan(options)
    try:
        keep = parse_duration(options.keep)
    except ValueError as wrong:
        raise InputError(f"--keep: {wrong}") from None
    check_keep(keep)
    home = Home.open(options.home, options.group)
    home.check_report(plan, plan_of_home)
    steps = Steps()
    with session(plan, options.master) as spark:
        steps("Spark session started")
        done = maintain(spark, plan, home, keep, steps)
    if options.json:
        print_json({"tables": {name: asdict(one) for name, one in done.items()}})
    else:
        print_lines(*(f"{name}: {one.files_before} files became {one.files_after}" for name, one in done.items()))
    return 0
