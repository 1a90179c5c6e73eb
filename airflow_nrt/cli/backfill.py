"""`airflow-nrt backfill`: the windows of an interval in batch."""

from __future__ import annotations

import argparse
import contextlib
import sys

from airflow_nrt.basics.texts import counted
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
from airflow_nrt.describe.mismatch import FAIL, ON_MISMATCH
from airflow_nrt.describe.verdict import unread_lines, verdict_lines
from airflow_nrt.usecases.requests.backfill import BackfillRequest
from airflow_nrt.usecases.requests.batch import BatchRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_interval(parser, required=True)
    add_master(parser)
    add_waiting(parser)
    parser.add_argument("--verify", action="store_true", help="verify what is published, instead of publishing over it")
    parser.add_argument(
        "--on-mismatch",
        choices=ON_MISMATCH,
        default=FAIL,
        help="what to do about a difference that no late row explains (with --verify)",
    )
    parser.add_argument(
        "--unpin", action="store_true", help="publish also over windows that `airflow-nrt undo` has set"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.backfill import backfill

    request, steps = request_of(options), Steps()
    # Rows of a `print` sink must not get into the JSON.
    with contextlib.redirect_stdout(sys.stderr if options.json else sys.stdout):
        done = backfill(request, steps)
    unread = unread_lines(done.unread_files, done.unread_bytes)
    if options.json:
        print_json(done.to_json())
        steps(*(verdict_lines(done.verdict.without_rows()) if done.verdict else unread))
    else:
        notes = (f"note: {note}" for note in done.notes)
        published = f"{done.report}: {counted(done.published_windows, 'window')} published"
        print_lines(*notes, published, *(() if done.verdict else unread))
        if done.verdict is not None:
            print_verdict(done.verdict)
    return 0 if done.satisfies(request) else 1


def request_of(options: argparse.Namespace) -> BackfillRequest:
    """Raises InputError as `settings_of` does."""
    batch = BatchRequest(report_in_home(options), options.start, options.end, options.wait_for_stream)
    return BackfillRequest(batch, options.on_mismatch if options.verify else None, options.unpin)
