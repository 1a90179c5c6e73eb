"""`airflow-nrt windows`: the window ledger, one line a window and insert, as it stands last."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from airflow_nrt.cli.common import add_home, add_json, print_json
from airflow_nrt.report.entries import Published
from airflow_nrt.report.home import Home
from airflow_nrt.report.instants import format_instant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home)
    standing: dict[tuple[str, str], tuple[Published, int, int]] = {}
    for entry in home.log().entries():
        for one in entry.published:
            standing[(one.insert, one.target or str(one.end))] = (one, entry.n, entry.time)
    rows = sorted(standing.values(), key=lambda row: (row[0].insert, row[0].end or 0))
    if options.json:
        print_json([{**asdict(one), "entry": n, "time": time} for one, n, time in rows])
        return 0
    print(
        f"{'insert':20} {'window start':19}  {'window end':19}  {'state':9} {'rows':>8} {'entry':>6}  published (UTC)"
    )
    for one, n, time in rows:
        print(
            f"{one.insert:20} {format_instant(one.start):19}  {format_instant(one.end):19}  {one.state:9} "
            f"{one.rows:8} {n:6}  {format_instant(time)}"
        )
    return 0
