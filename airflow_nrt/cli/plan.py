"""`airflow-nrt plan`: what a report does; or, against a home, what it changes there."""

from __future__ import annotations

import argparse
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import (
    add_group,
    add_interval,
    add_json,
    add_report,
    add_time_limit,
    inquiry_about,
    print_json,
    print_lines,
    report_request,
)
from airflow_nrt.describe.description_lines import entry_lines, plan_lines
from airflow_nrt.usecases.requests.changes import REFUSED, ChangesRequest
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
    parser.add_argument(
        "--against",
        metavar="HOME",
        help="compare it with the report of this home, insert by insert; exit status 4: a driver would refuse it there",
    )
    add_group(parser)
    add_time_limit(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.asking import ask

    if options.against is not None:
        return _compare(options)
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


def _compare(options: argparse.Namespace) -> int:
    """Raises InputError for what belongs to a plan alone."""
    from airflow_nrt.usecases.asking import ask

    if (options.rate, options.start, options.end) != (None, None, None):
        raise InputError("--against compares reports: --rate, --start and --end describe one, so give them without it")
    request = ChangesRequest(report_request(options), options.against, options.group)
    answer = ask(request, inquiry_about(options.report, options))
    if options.json:
        print_json(answer["changes"])
    else:
        print_lines(*answer["lines"])
    return 0 if answer["accepted"] else REFUSED


def _estimate(estimated: dict[str, Any]) -> list[str]:
    from airflow_nrt.describe.sizing import BUSY

    shares = sorted(estimated["work"].items(), key=lambda item: -item[1])
    work = [f"{seconds:.3g} cores for {what}" for what, seconds in shares if seconds]
    found = {
        "cores": f"{estimated['cores']:,}, {BUSY:.0%} of them busy",
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
