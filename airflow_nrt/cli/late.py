"""`airflow-nrt late`: the late rows and the rejected rows of a home, from its ledger."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import shortened
from airflow_nrt.cli.common import add_home, add_json, print_json
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import LATE_PREFIX, REJECTED, records
from airflow_nrt.home.log.entries import Commit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_json(parser)
    parser.add_argument("--limit", type=int, default=50, help="how many rows to show (default: 50; 0: all)")


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    commits = [(entry.n, entry.body) for entry in home.log().entries() if isinstance(entry.body, Commit)]
    late = sum(one.late for _, commit in commits for one in commit.late)
    dropped = sum(one.dropped for _, commit in commits for one in commit.late)
    rejected: dict[str, int] = {}
    for _, commit in commits:
        for reason, count in commit.rejected.items():
            rejected[reason] = rejected.get(reason, 0) + count
    rows = list(_rows(home, commits, options.limit))
    if options.json:
        print_json({"late": late, "dropped": dropped, "rejected": rejected, "rows": rows})
        return 0
    print(f"{late} late rows, {dropped} of them in no window of theirs")
    for reason, count in rejected.items():
        print(f"{count} rejected: {reason}")
    for row in rows:
        print(shortened(_line(row)).replace("\n", "?"))
    if options.limit and len(rows) == options.limit:
        print(f"… the first {options.limit}; --limit 0 shows all")
    return 0


def _rows(home: Home, commits: list[tuple[int, Commit]], limit: int) -> Iterator[dict[str, Any]]:
    count = 0
    for n, commit in commits:
        if commit.ledger is None:
            continue
        for directory in sorted((home.path / commit.ledger).iterdir()):
            for record in records(directory):
                name = directory.name.removeprefix(LATE_PREFIX)
                kind = {"kind": REJECTED} if directory.name == REJECTED else {"kind": "late", "operator": name}
                yield {"entry": n, **kind, **record}
                count += 1
                if limit and count >= limit:
                    return


def _line(row: dict[str, Any]) -> str:
    if row["kind"] == REJECTED:
        line = f": {row['line']}" if "line" in row else ""
        column = f" {row['column']}" if "column" in row else ""
        return f"entry {row['entry']}: rejected ({row['reason']}{column}) {row['file']}{line}"
    missed = f"{format_instant(row['missed_from'])} … {format_instant(row['missed_until'])}"
    fate = "in no window" if row["dropped"] else f"missed the windows that end at {missed}"
    return (
        f"entry {row['entry']}: late, watermark {format_instant(row['watermark'])}, {fate}: "
        f"{json.dumps(row['row'], ensure_ascii=False)}"
    )
