"""`airflow-nrt changelog`: what became visible, was replaced and was taken away, one line a window and version."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from airflow_nrt.cli.common import add_home, add_json, print_json
from airflow_nrt.report.home import Home
from airflow_nrt.report.instants import format_instant
from airflow_nrt.report.shown import changes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    told = changes(Home.open(options.home).log().entries())
    if options.json:
        print_json([{"entry": one.entry, "time": one.time, "op": one.op, **asdict(one.published)} for one in told])
        return 0
    print(
        f"{'entry':>6}  {'published (UTC)':23}  op  {'insert':20} {'window start':19}  {'window end':19}  "
        f"{'state':9} {'rows':>8}"
    )
    for one in told:
        seen = one.published
        print(
            f"{one.entry:6}  {format_instant(one.time):23}  {one.op:2}  {seen.insert:20} "
            f"{format_instant(seen.start):19}  {format_instant(seen.end):19}  {seen.state:9} {seen.rows:8}"
        )
    return 0
