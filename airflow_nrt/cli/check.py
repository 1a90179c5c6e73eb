"""`airflow-nrt check`: is this report right? It prints one line per problem, in the format of compilers.

For a directory of Flink scripts and PyFlink programs, it says of each whether it runs here.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.cli.common import add_group, add_report, add_time_limit, ask_about_report
from airflow_nrt.cli.terminal.colours import Colour, painted


@dataclass(frozen=True)
class Findings:
    """The exit status, and what to print: `problems`, or, if there are none, `lines` about the report."""

    status: int
    problems: tuple[str, ...]
    lines: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser, "; or a directory, to find out which of its Flink scripts and PyFlink programs run")
    parser.add_argument("--home", metavar="DIR", help="check also whether the report can have its home there")
    add_group(parser)
    parser.add_argument("--deep", action="store_true", help="also run Spark's analysis (starts a Spark session)")
    add_time_limit(parser)


def run(options: argparse.Namespace) -> int:
    if Path(options.report).is_dir():
        from airflow_nrt.cli.survey.command import survey

        return survey(options)
    from airflow_nrt.launch.asking import facts

    place = {"home": options.home, "group": options.group}
    found = facts(ask_about_report("airflow_nrt.cli.answers.findings", options, deep=options.deep, **place), Findings)
    for problem in found.problems:
        print(painted(problem, Colour.WRONG, sys.stderr), file=sys.stderr)
    for line in found.lines:
        print(f"{options.report}: {line}")
    return found.status
