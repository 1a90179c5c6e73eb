"""`airflow-nrt plan`: what a report does."""

from __future__ import annotations

import argparse
from typing import Any

from airflow_nrt.cli.common import add_interval, add_json, add_report, print_json, read_plan, time_of
from airflow_nrt.report.description import describe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_interval(parser, required=False)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    plan = read_plan(options)
    told = describe(plan, time_of(options.start, plan), time_of(options.end, plan))
    if options.json:
        print_json(told)
    else:
        print("\n".join(_lines(told)))
    return 0


def _lines(told: dict[str, Any]) -> list[str]:
    lines = [f"report {told['report']}"]
    for group in ("sources", "operators", "inserts"):
        for item in told[group]:
            lines.append(f"\n{group[:-1]} {item['name']}")
            for key, value in item.items():
                if key != "name" and value not in (None, [], {}):
                    lines += _entry(key.replace("_", " "), value)
    return lines


def _entry(key: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [
            f"  {key}",
            *(f"  {line}" for name, inner in value.items() for line in _entry(name.replace("_", " "), inner)),
        ]
    if isinstance(value, list):
        shown = value if len(value) <= 30 else [*value[:12], f"… {len(value) - 24} more …", *value[-12:]]
        return [f"  {key:18} {shown[0]}", *(f"  {'':18} {one}" for one in shown[1:])]
    return [f"  {key:18} {value}"]
