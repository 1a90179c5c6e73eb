"""`airflow-nrt verify`: exit status 0 only if late rows explain every difference."""

from __future__ import annotations

import argparse
from pathlib import Path

from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_interval,
    add_json,
    add_master,
    add_report,
    print_json,
    print_verdict,
    read_plan,
    session,
    time_of,
)
from airflow_nrt.cli.waiting import add_waiting, wait_for_stream
from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history import read_history
from airflow_nrt.table.reports.load import plan_of_home


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_interval(parser, required=False)
    add_master(parser)
    add_waiting(parser)
    parser.add_argument("--published", metavar="DIR", help="verify this copy of the sink's directory instead")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.verify.verify import Interval, check_interval, verify

    plan = read_plan(options)
    interval = Interval(time_of(options.start, plan), time_of(options.end, plan))
    home = Home.open(options.home, options.group)
    home.check_report(plan, plan_of_home)
    steps = Steps()
    wait_for_stream(plan, home, options.wait_for_stream, steps)
    check_interval(plan, read_history(home.log().entries(), plan), interval)
    with session(plan, options.master) as spark:
        steps("Spark session started")
        published = Path(options.published).absolute() if options.published else None
        verdict = verify(spark, plan, home, interval, published, steps)
    if options.json:
        print_json(verdict.to_json())
        steps(*verdict_lines(verdict.without_rows()))
    else:
        print_verdict(verdict)
    return 0 if verdict.is_proven else 1
