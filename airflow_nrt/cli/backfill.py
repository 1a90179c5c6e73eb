"""`airflow-nrt backfill`: the windows of an interval in batch."""

from __future__ import annotations

import argparse
import contextlib
import sys

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
from airflow_nrt.describe.verdict import unread_lines, verdict_lines
from airflow_nrt.home.home import Home
from airflow_nrt.table.reports.load import plan_of_home


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_interval(parser, required=True)
    add_master(parser)
    add_waiting(parser)
    parser.add_argument("--verify", action="store_true", help="verify what is published, instead of publishing over it")
    parser.add_argument(
        "--on-mismatch",
        choices=("fail", "repair", "report"),
        default="fail",
        help="what to do about a difference that no late row explains (with --verify)",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.backfill import backfill, check_backfill
    from airflow_nrt.engine.verify.interval import Interval

    plan = read_plan(options)
    interval = Interval(time_of(options.start, plan), time_of(options.end, plan))
    home = Home.checked(options.home, plan, plan_of_home, options.group)
    if home.report_file.exists():
        home.check_report(plan, plan_of_home)
    steps = Steps()
    wait_for_stream(plan, home, options.wait_for_stream, steps)
    check_backfill(plan, home, interval)
    # Rows of a `print` sink must not get into the JSON.
    rows = contextlib.redirect_stdout(sys.stderr if options.json else sys.stdout)
    with rows, session(plan, options.master) as spark:
        steps("Spark session started")
        home = Home.create(options.home, plan, plan_of_home, options.group)
        result = backfill(spark, plan, home, interval, options.verify, options.on_mismatch, steps)
    windows = len({one.end for one in result.published})
    unread = unread_lines(result.unread_files, result.unread_bytes)
    if options.json:
        verdict = result.verdict.to_json() if result.verdict else None
        print_json(
            {
                "published_windows": windows,
                "notes": list(result.notes),
                "unread_files": result.unread_files,
                "unread_bytes": result.unread_bytes,
                "verdict": verdict,
            }
        )
        steps(*(verdict_lines(result.verdict.without_rows()) if result.verdict else unread))
    else:
        notes = (f"note: {note}" for note in result.notes)
        print_lines(*notes, f"{plan.name}: {windows} windows published", *(() if result.verdict else unread))
        if result.verdict is not None:
            print_verdict(result.verdict)
    failed = result.verdict is not None and not result.verdict.is_proven
    return 1 if failed and options.on_mismatch != "report" else 0
