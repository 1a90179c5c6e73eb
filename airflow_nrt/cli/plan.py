"""`airflow-nrt plan`: what a report does."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from airflow_nrt.cli.common import add_interval, add_json, add_report, print_json, read_plan, time_of
from airflow_nrt.report.description import describe
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.instants import check_span
from airflow_nrt.report.sizing import BUSY, Load, estimate

_WORDS = ("reads", "columns", "keys", "rows of", "partition")
"""Lists of names, which stand beside each other."""
_WIDTH = 96
_TITLE = ("step", "does", "of", "operators", "called")
"""What stands in the first line of a step."""
_OF_RANK = ("partition_by", "order_by", "as", "limit")
"""What its rank says already."""


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
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    if (options.start is None) != (options.end is None):
        raise InputError("--start and --end name an interval together: give both, or none")
    plan = read_plan(options)
    start, end = time_of(options.start, plan), time_of(options.end, plan)
    check_span(start, end)
    told = describe(plan, start, end)
    if options.rate is not None:
        told["estimate"] = estimate(plan, Load(options.rate, options.keys, options.new_values))
    if options.json:
        print_json(told)
    else:
        print("\n".join([*_lines(told), *(_estimate(told["estimate"]) if "estimate" in told else ())]))
    return 0


def _lines(told: dict[str, Any]) -> list[str]:
    lines = [f"report {told['report']}"]
    for group in ("sources", "operators", "inserts"):
        for item in told[group]:
            lines.append(f"\n{group[:-1]} {item['name']}")
            for key, value in item.items():
                if key == "steps":
                    lines += [line for step in value for line in _step(step)]
                elif key != "name" and value not in (None, [], {}):
                    lines += _entry(key.replace("_", " "), value)
    if told["without_effect"]:
        lines.append("\nwithout effect here")
        lines += [f"  {what}: {why}" for what, why in told["without_effect"].items()]
    return lines


def _step(step: dict[str, Any]) -> list[str]:
    """One step of a query: what it does, of what, and its clauses below."""
    called = f", called {step['called']}" if "called" in step else ""
    kept = f", in {', '.join(step['operators'])}" if "operators" in step else ""
    hidden = (*_TITLE, *(_OF_RANK if "rank" in step else ()))
    lines = [f"  step {step['step']:<13} {step['does']} of {' and '.join(step['of'])}{called}{kept}"]
    for key, value in step.items():
        if key not in hidden:
            first, *others = _wrapped(value if isinstance(value, list) else [str(value)], f"{key.replace('_', ' ')}: ")
            lines += [f"  {'':18}   {first}", *(f"  {'':18}     {other}" for other in others)]
    return lines


def _wrapped(words: list[str], title: str = "") -> list[str]:
    """Words beside each other, on as many lines as they need; none is cut where it need not be."""
    whole = [word if len(word) > _WIDTH // 2 else word.replace(" ", "\0") for word in words]
    lines = textwrap.wrap(title + ", ".join(whole), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def _estimate(told: dict[str, Any]) -> list[str]:
    shares = sorted(told["work"].items(), key=lambda item: -item[1])
    work = [f"{seconds:.3g} cores for {what}" for what, seconds in shares if seconds]
    found = {
        "cores": f"{told['cores']:,}, of which {BUSY:.0%} are busy",
        "state": f"{_size(told['state_bytes'])} at most",
        "delay": f"{told['delay_seconds']:,} s from a complete step to its results",
        "work": work,
        **({"not counted": f"{', '.join(told['not_counted'])}: the rows decide"} if "not_counted" in told else {}),
    }
    lines = [line for key, value in found.items() for line in _entry(key, value)]
    return [f"\nestimate at {told['rate']:,.0f} rows a second, {told['keys']:,} keys", *lines]


def _size(count: int) -> str:
    power, unit = next((one for one in ((40, "TiB"), (30, "GiB")) if count >= 2 ** one[0]), (20, "MiB"))
    return f"{count / 2**power:,.1f} {unit}"


def _entry(key: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [
            f"  {key}",
            *(f"  {line}" for name, inner in value.items() for line in _entry(name.replace("_", " "), inner)),
        ]
    if isinstance(value, list) and key in _WORDS:
        value = _wrapped(value)
    if isinstance(value, list):
        shown = value if len(value) <= 30 else [*value[:12], f"… {len(value) - 24} more …", *value[-12:]]
        return [f"  {key:18} {shown[0]}", *(f"  {'':18} {one}" for one in shown[1:])]
    return [f"  {key:18} {value}"]
