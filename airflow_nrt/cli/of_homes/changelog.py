"""`airflow-nrt changelog`: what became visible, was replaced and was removed, one line per window and version.

With `--rows`, also the changes of rows where files hold them.
"""

from __future__ import annotations

import argparse
import json

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.cli.common import add_home, add_json, print_json, say_what_is_gone
from airflow_nrt.home.home import Home
from airflow_nrt.usecases.changelog import changelog
from airflow_nrt.usecases.requests.changelog import ChangelogRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument(
        "--rows",
        action="store_true",
        help="also the emitted (+) and retracted (-) rows, for files with a format of changes",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    say_what_is_gone(Home.open(options.home, options.group))
    found = changelog(ChangelogRequest(options.home, options.group, options.rows))
    if options.json:
        print_json([one.to_json() for one in found])
        return 0
    print(
        f"{'entry':>6}  {'published (UTC)':23}  op  {'insert':20} {'window start':19}  {'window end':19}  "
        f"{'state':9} {'rows':>8}"
    )
    for one in found:
        change, published = one.change, one.change.published
        when = "waits for its sink" if one.waits else format_instant(change.time)
        print(
            f"{change.entry:6}  {when:23}  {change.op:2}  {published.insert:20} "
            f"{format_instant(published.start):19}  {format_instant(published.end):19}  "
            f"{published.state:9} {published.rows:8}"
        )
        for row in one.rows or ():
            print(f"{'':33}{'+' if row.is_added else '-'}   {json.dumps(row.row, ensure_ascii=False)}")
    return 0
