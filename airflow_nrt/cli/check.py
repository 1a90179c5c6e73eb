"""`airflow-nrt check`: is this report right? It prints one line per problem, in the format of compilers.

For a directory of Flink scripts and PyFlink programs, it says of each whether it runs here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airflow_nrt.cli.common import (
    add_group,
    add_json,
    add_report,
    add_time_limit,
    inquiry_about,
    print_json,
    report_request,
)
from airflow_nrt.cli.terminal.colours import Colour, painted
from airflow_nrt.usecases.requests.check import CheckRequest, Findings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser, "; or a directory, to find out which of its Flink scripts and PyFlink programs run")
    parser.add_argument("--home", metavar="DIR", help="check also whether the report can have its home there")
    add_group(parser)
    parser.add_argument("--deep", action="store_true", help="also check with Spark, and with all servers of a driver")
    add_time_limit(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    if Path(options.report).is_dir():
        from airflow_nrt.cli.check_directory import check_directory

        return check_directory(options)
    from airflow_nrt.usecases.asking import answered

    request = CheckRequest(report_request(options), options.home, options.group, options.deep, options.debug)
    found = answered(request, Findings, inquiry_about(options.report, options))
    if options.json:
        print_json({"report": options.report, "problems": list(found.problems), "lines": list(found.lines)})
        return found.status
    for problem in found.problems:
        print(painted(problem, Colour.WRONG, sys.stderr), file=sys.stderr)
    for line in found.lines:
        print(f"{options.report}: {line}")
    return found.status
