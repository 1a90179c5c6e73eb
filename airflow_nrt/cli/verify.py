"""`airflow-nrt verify`: exit status 0 only if there are windows, and late rows explain every difference."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_interval,
    add_json,
    add_master,
    add_report,
    add_waiting,
    print_json,
    print_lines,
    print_verdict,
    report_in_home,
)
from airflow_nrt.describe.verdict import has_a_verdict, verdict_lines
from airflow_nrt.usecases.requests.batch import BatchRequest
from airflow_nrt.usecases.requests.verify import VerifyArchivesRequest, VerifyRequest

CANT_BE_PROVEN = 3
"""The exit status where windows were asked for whose entries are removed: they are neither proven nor different."""


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
        help="compare the archive that the report writes with its topic, as far as the topic still has the records",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.verify import verify

    if options.against:
        return _against_topic(options)
    steps = Steps()
    verdict = verify(request_of(options), steps)
    if options.json:
        print_json(verdict.to_json())
        steps(*verdict_lines(verdict.without_rows()))
    else:
        print_verdict(verdict)
    ends = [bad.end for one in verdict.inserts for bad in one.bad if bad.end is not None]
    if ends and not options.published:
        steps(_way_to_repair(options, min(ends), max(ends)))
    # Of no windows nothing is proven, as for a task.
    if verdict.unprovable and verdict.holds:
        return CANT_BE_PROVEN
    return 0 if has_a_verdict(verdict) else 1


def _way_to_repair(options: argparse.Namespace, first: int, last: int) -> str:
    """The command that publishes the differing ones among the windows of these ends (ms) again."""
    interval = f"--start '{format_instant(first - MINUTE)}' --end '{format_instant(last)}'"
    report, home = shlex.quote(options.report), shlex.quote(options.home)
    return f"to repair: airflow-nrt backfill {report} --home {home} {interval} --verify --on-mismatch repair"


def request_of(options: argparse.Namespace) -> VerifyRequest:
    """Raises InputError as `settings_of` does."""
    batch = BatchRequest(report_in_home(options), options.start, options.end, options.wait_for_stream)
    return VerifyRequest(batch, Path(options.published).absolute() if options.published else None)


def _against_topic(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.verify import verify_archives

    if options.start or options.end or options.published:
        raise InputError("--against topic compares a whole archive: leave out --start, --end and --published")
    verdicts = verify_archives(VerifyArchivesRequest(report_in_home(options), options.wait_for_stream), Steps())
    if options.json:
        print_json([one.to_json() for one in verdicts])
    else:
        print_lines(*(line for one in verdicts for line in one.lines))
    return 0 if all(one.is_equal for one in verdicts) else 1
