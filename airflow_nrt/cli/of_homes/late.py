"""`airflow-nrt late`: the late rows and the rejected rows of a home, from its ledger."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import counted, shortened
from airflow_nrt.cli.common import add_home, add_json, print_json, say_what_is_gone
from airflow_nrt.files.numbers_as_written import json_text
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import NO_VALUE, REJECTED
from airflow_nrt.usecases.late import late
from airflow_nrt.usecases.requests.late import LateRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_json(parser)
    parser.add_argument("--limit", type=int, default=50, help="how many rows to show (default: 50; 0: all)")


def run(options: argparse.Namespace) -> int:
    say_what_is_gone(Home.open(options.home, options.group))
    found = late(LateRequest(options.home, options.group, options.limit))
    if options.json:
        print_json(found.to_json())
        return 0
    dropped = f", {found.dropped:,} of them in no window" if found.dropped else ""
    print(f"{counted(found.late, 'late row')}{dropped}")
    for reason, count in found.rejected.items():
        print(f"{count:,} rejected: {reason}")
    if found.null_fields:
        print(f"{counted(found.null_fields, 'field')} read as NULL: {NO_VALUE}")
    for row in found.rows:
        print(shortened(_line(row)).replace("\n", "?"))
    if options.limit and len(found.rows) == options.limit:
        print(f"… the first {options.limit}; --limit 0 shows all")
    return 0


def _line(row: Mapping[str, Any]) -> str:
    if row["kind"] == REJECTED:
        line = f": {row['line']}" if "line" in row else ""
        what = "read as NULL" if row["reason"] == NO_VALUE else "rejected"
        column = f", column {row['column']}" if "column" in row else ""
        # What is wrong names the column, too.
        why = f", {row['why']}" if row.get("why") else column
        return f"entry {row['entry']}: {what} ({row['reason']}{why}) {row['file']}{line}"
    first, last = format_instant(row["missed_from"]), format_instant(row["missed_until"])
    missed = f"the window that ends at {last}" if first == last else f"the windows that end at {first} … {last}"
    fate = "in no window" if row["dropped"] else f"missed {missed}"
    return f"entry {row['entry']}: late, watermark {format_instant(row['watermark'])}, {fate}: {json_text(row['row'])}"
