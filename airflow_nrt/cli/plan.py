"""`airflow-nrt plan`: what a report does."""

from __future__ import annotations

import argparse
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import add_interval, add_json, add_report, add_time_limit, asked_apart, print_json
from airflow_nrt.describe.description_lines import entry_lines, plan_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_interval(parser, required=False)
    parser.add_argument(
        "--rate", type=float, metavar="ROWS", help="also estimate cores, state and delay at so many a second"
    )
    parser.add_argument(
        "--keys", type=int, default=10_000, metavar="N", help="of each operator, for --rate (default: 10000)"
    )
    parser.add_argument(
        "--new-values",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="of the rows that bring their key a new distinct value, for --rate (default: 1.0)",
    )
    add_time_limit(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    if (options.start is None) != (options.end is None):
        raise InputError("--start and --end name an interval together: give both, or none")
    given = ("start", "end", "rate", "keys", "new_values")
    told = asked_apart("airflow_nrt.cli.answers.described", options, **{name: getattr(options, name) for name in given})
    if options.json:
        print_json(told)
    else:
        print("\n".join([*plan_lines(told), *(_estimate(told["estimate"]) if "estimate" in told else ())]))
    return 0


def _estimate(told: dict[str, Any]) -> list[str]:
    from airflow_nrt.describe.sizing import BUSY

    shares = sorted(told["work"].items(), key=lambda item: -item[1])
    work = [f"{seconds:.3g} cores for {what}" for what, seconds in shares if seconds]
    found = {
        "cores": f"{told['cores']:,}, of which {BUSY:.0%} are busy",
        "state": f"{_size(told['state_bytes'])} at most",
        "delay": f"{told['delay_seconds']:,} s from a complete step to its results",
        "work": work,
        **({"not counted": f"{', '.join(told['not_counted'])}: the rows decide"} if "not_counted" in told else {}),
    }
    lines = [line for key, value in found.items() for line in entry_lines(key, value)]
    return [f"\nestimate at {told['rate']:,.0f} rows a second, {told['keys']:,} keys", *lines]


def _size(count: int) -> str:
    power, unit = next((one for one in ((40, "TiB"), (30, "GiB")) if count >= 2 ** one[0]), (20, "MiB"))
    return f"{count / 2**power:,.1f} {unit}"
