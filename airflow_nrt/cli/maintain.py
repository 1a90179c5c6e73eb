"""`airflow-nrt maintain`: compacts the tables of a lakehouse that a report writes into, and removes their old versions
and the old entries of the report's home.

Entries of the home stay for ever, unless the report sets 'home.keep'. Its driver removes old ones, too.
"""

from __future__ import annotations

import argparse

from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import (
    Steps,
    add_home,
    add_json,
    add_master,
    add_report,
    print_json,
    print_lines,
    report_in_home,
)
from airflow_nrt.usecases.requests.maintain import KEPT, KeptHistory, MaintainRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    parser.add_argument(
        "--keep", metavar="DURATION", default=KEPT, help="how much of the tables' history stays (default: 7 d)"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only say which entries of the home would go, and what it could prove then",
    )
    add_master(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.maintain import maintain

    done = maintain(request_of(options), Steps())
    if options.json:
        print_json(done.to_json())
    else:
        tables = done.tables.items()
        lines = [f"{name}: {counted(one.files_before, 'file')} became {one.files_after}" for name, one in tables]
        print_lines(*lines, *_history_lines(done.history, options.dry_run))
    return 0


def _history_lines(kept: KeptHistory, is_dry: bool) -> list[str]:
    """What has become of the home's entries, or would."""
    gone = f"{counted(kept.removed, 'log entry')}, {counted(kept.bytes, 'byte')}"
    lines = [
        f"home: {gone} {'would be removed' if is_dry else 'removed'}" if kept.removed else "home: no entry is to go"
    ]
    if kept.removed_until is not None:
        at, since = format_instant(kept.removed_until), kept.provable_from
        provable = "no result" if since is None or since >= END_OF_TIME else f"windows from {format_instant(since)} on"
        lines.append(f"      entries from {kept.first_entry} on, after {at} (UTC): {provable} can be proven")
    return [*lines, *([] if kept.held is None else [f"      older entries stay: {kept.held}"])]


def request_of(options: argparse.Namespace) -> MaintainRequest:
    """Raises InputError as `settings_of` does, and for a history that is no duration."""
    return MaintainRequest(report_in_home(options), options.keep, options.dry_run)
