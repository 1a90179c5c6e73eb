"""`airflow-nrt plan`: what a report does."""

from __future__ import annotations

import argparse
from typing import Any

from airflow_nrt.cli.common import (
    add_interval,
    add_json,
    add_report,
    add_time_limit,
    inquiry_about,
    print_json,
    report_request,
)
from airflow_nrt.describe.description_lines import entry_lines, plan_lines
from airflow_nrt.usecases.requests.describe import DescribeRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_interval(parser, required=False)
    parser.add_argument(
        "--rate", type=float, metavar="ROWS", help="also estimate cores, state and delay at this many rows per second"
    )
    parser.add_argument(
        "--keys", type=int, default=10_000, metavar="N", help="keys of each operator, for --rate (default: 10000)"
    )
    parser.add_argument(
        "--new-values",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="share of rows with a new distinct value for their key, for --rate (default: 1.0)",
    )
    add_time_limit(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.asking import ask

    load = (options.rate, options.keys, options.new_values)
    request = DescribeRequest(report_request(options), options.start, options.end, *load)
    described = ask(request, inquiry_about(options.report, options))
    if options.json:
        print_json(described)
    else:
        print(
            "\n".join([*plan_lines(described), *(_estimate(described["estimate"]) if "estimate" in described else ())])
        )
    return 0


def _estimate(estimated: dict[str, Any]) -> list[str]:
    from airflow_nrt.describe.sizing import BUSY

    shares = sorted(estimated["work"].items(), key=lambda item: -item[1])
    work = [f"{seconds:.3g} cores for {what}" for what, seconds in shares if seconds]
    found = {
        "cores": f"{estimated['cores']:,}, of which {BUSY:.0%} are busy",
        "state": f"{_size(estimated['state_bytes'])} at most",
        "delay": f"{estimated['delay_seconds']:,} s from a complete step to its results",
        "work": work,
        **(
            {"not counted": f"{', '.join(estimated['not_counted'])}: the rows decide"}
            if "not_counted" in estimated
            else {}
        ),
    }
    lines = [line for key, value in found.items() for line in entry_lines(key, value)]
    return [f"\nestimate at {estimated['rate']:,.0f} rows a second, {estimated['keys']:,} keys", *lines]


def _size(count: int) -> str:
    power, unit = next((one for one in ((40, "TiB"), (30, "GiB")) if count >= 2 ** one[0]), (20, "MiB"))
    return f"{count / 2**power:,.1f} {unit}"
