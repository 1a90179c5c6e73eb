"""`airflow-nrt check`: is this report right? What is not is one line each, as compilers say it."""

from __future__ import annotations

import argparse
import sys

from airflow_nrt.cli.common import add_report, add_time_limit, asked_apart


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    parser.add_argument("--home", metavar="DIR", help="check also whether the report can have its home there")
    parser.add_argument("--deep", action="store_true", help="also run Spark's analysis (starts a Spark session)")
    add_time_limit(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.launch.asking import checked

    answer = asked_apart("airflow_nrt.cli.findings", options, home=options.home, deep=options.deep)
    found = checked(answer, status=int, problems=list, lines=list)
    for problem in found["problems"]:
        print(problem, file=sys.stderr)
    for line in found["lines"]:
        print(f"{options.report}: {line}")
    status: int = found["status"]
    return status
