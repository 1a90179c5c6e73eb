"""`airflow-nrt windows`: the published windows, one line per window and insert, as they are now or were at a time."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant, parse_instant
from airflow_nrt.cli.common import add_home, add_json, print_json, say_what_is_gone
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.visible import waiting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument(
        "--at", metavar="TIME", help="what a reader saw at TIME, e.g. '2024-06-18 10:00' (UTC, or with an offset)"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    say_what_is_gone(home)
    rows = standing_at(past_results(home.log()), _instant(options.at))
    owed = waiting(home, [row.published for row in rows])
    if options.json:
        facts = [{"entry": row.entry, "time": row.time, "waiting": row.published in owed} for row in rows]
        print_json([{**asdict(row.published), **more} for row, more in zip(rows, facts)])
        return 0
    print(
        f"{'insert':20} {'window start':19}  {'window end':19}  {'state':9} {'rows':>8} {'entry':>6}  published (UTC)"
    )
    for row in rows:
        one = row.published
        when = "waits for its sink" if one in owed else format_instant(row.time)
        print(
            f"{one.insert:20} {format_instant(one.start):19}  {format_instant(one.end):19}  {one.state:9} "
            f"{one.rows:8} {row.entry:6}  {when}"
        )
    return 0


def _instant(text: str | None) -> int | None:
    try:
        return None if text is None else parse_instant(text)
    except ValueError as wrong:
        raise InputError(f"--at: {wrong}") from None
