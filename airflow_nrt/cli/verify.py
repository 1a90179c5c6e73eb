"""`airflow-nrt verify`: exit status 0 only if late rows explain every difference."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_interval,
    add_json,
    add_master,
    add_report,
    print_json,
    print_lines,
    print_verdict,
    read_plan,
    session,
    time_of,
)
from airflow_nrt.cli.waiting import add_waiting, wait_for_stream
from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history import read_history
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_interval(parser, required=False)
    add_master(parser)
    add_waiting(parser)
    parser.add_argument("--published", metavar="DIR", help="verify this copy of the sink's directory instead")
    parser.add_argument(
        "--against",
        choices=("topic",),
        help="compare the archive that the report writes with its topic, as far as that still has the records",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.verify.interval import Interval, check_interval
    from airflow_nrt.engine.verify.verify import verify

    plan = read_plan(options)
    if options.against and (options.start or options.end or options.published):
        raise InputError("--against topic compares a whole archive: leave out --start, --end and --published")
    interval = Interval(time_of(options.start, plan), time_of(options.end, plan))
    home = Home.open(options.home, options.group)
    home.check_report(plan, plan_of_home)
    steps = Steps()
    wait_for_stream(plan, home, options.wait_for_stream, steps)
    check_interval(plan, read_history(home.log().entries(), plan), interval)
    with session(plan, options.master) as spark:
        steps("Spark session started")
        if options.against:
            return _against_topic(spark, plan, home, options.json)
        published = Path(options.published).absolute() if options.published else None
        verdict = verify(spark, plan, home, interval, published, steps)
    if options.json:
        print_json(verdict.to_json())
        steps(*verdict_lines(verdict.without_rows()))
    else:
        print_verdict(verdict)
    return 0 if verdict.is_proven else 1


def _against_topic(spark: SparkSession, plan: Plan, home: Home, as_json: bool) -> int:
    from airflow_nrt.engine.verify.against_topic import verify_archives

    verdicts = verify_archives(spark, plan, home)
    if as_json:
        print_json([one.to_json() for one in verdicts])
    else:
        print_lines(*(line for one in verdicts for line in one.lines))
    return 0 if all(one.is_equal for one in verdicts) else 1
