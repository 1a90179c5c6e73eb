"""`airflow-nrt doctor`: can reports run here, and this one? Each finding that is not fine has a way out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airflow_nrt.cli.common import (
    add_group,
    add_json,
    add_settings,
    add_time_limit,
    inquiry_about,
    print_json,
    print_lines,
    report_request,
)
from airflow_nrt.cli.terminal.colours import Colour, painted
from airflow_nrt.usecases.requests.doctor import DoctorRequest, Finding, Judgement

_COLOURS = {Judgement.FINE: Colour.GOOD, Judgement.NOTE: Colour.WARNING, Judgement.WRONG: Colour.WRONG}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "report",
        metavar="REPORT",
        nargs="?",
        help="also check this report, and the servers of its driver (default: only this machine)",
    )
    parser.add_argument("--home", metavar="DIR", help="also check a home, and its driver")
    parser.add_argument("--base", type=Path, metavar="DIR", help="where relative paths of the report's tables start")
    add_settings(parser)
    add_group(parser)
    add_time_limit(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.doctor import doctor

    report = None if options.report is None else report_request(options)
    inquiry = None if options.report is None else inquiry_about(options.report, options)
    found = []
    for finding in doctor(DoctorRequest(report, options.home, options.group), inquiry):
        found.append(finding)
        if not options.json:
            print_lines(_line(finding))
    if options.json:
        print_json([finding.to_json() for finding in found])
    return 1 if any(one.judgement is Judgement.WRONG for one in found) else 0


def _line(finding: Finding) -> str:
    judgement = painted(f"{finding.judgement.value:5}", _COLOURS[finding.judgement], sys.stdout)
    way_out = f" → {finding.way_out}" if finding.way_out else ""
    return f"{judgement}  {finding.what}: {finding.said}{way_out}"
