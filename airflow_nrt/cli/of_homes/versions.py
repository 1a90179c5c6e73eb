"""`airflow-nrt versions`: the versions that windows have had, and which of them an undo can publish again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.cli.common import add_home, add_json, print_json, print_lines, say_what_is_gone
from airflow_nrt.home.home import Home
from airflow_nrt.usecases.requests.versions import ShownVersion, VersionsOfWindow, VersionsRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    add_window(parser, "the windows that end there (default: all that have had more than one version)", False)
    add_json(parser)


def add_window(parser: argparse.ArgumentParser, text: str, required: bool) -> None:
    """The arguments that name windows."""
    parser.add_argument(
        "--window", metavar="END", required=required, help=f"{text}, on the report's clock, e.g. '2024-06-18 10:00'"
    )
    parser.add_argument("--insert", metavar="NAME", help="the insert of the window (default: any)")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.versions.versions import versions

    say_what_is_gone(Home.open(options.home, options.group))
    found = versions(VersionsRequest(options.home, options.window, options.insert, options.group))
    if options.json:
        print_json(found.to_json())
        return 0
    for window in found.windows:
        print_lines(*_lines(window))
    if found.others or not found.windows:
        print_lines(f"{counted(found.others, 'window')} with one version")
    return 0


def _lines(window: VersionsOfWindow) -> Iterator[str]:
    yield f"{window.insert}, window [{format_instant(window.start)}, {format_instant(window.end)})"
    before: ShownVersion | None = None
    for one in window.versions:
        cause = f": {one.cause}" if one.cause else ""
        kept = f", kept until {format_instant(one.kept_until)}" if one.kept_until is not None else ""
        yield f"  {one.version:>6}  {format_instant(one.at)} UTC  {one.why}, {one.by}{cause}"
        yield f"          {counted(one.rows, 'row')}{_change(before, one)}{kept}"
        if one.pin is not None:
            yield f"          {one.pin}"
        before = one


def _change(before: ShownVersion | None, one: ShownVersion) -> str:
    """How the sums have changed since the version before."""
    if before is None or before.sums is None or one.sums is None:
        return "" if one.sums is None else "".join(f", {name} {text}" for name, text in one.sums.items())
    return "".join(_of_column(name, before.sums, one.sums) for name in {**before.sums, **one.sums})


def _of_column(name: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    old, new = before.get(name), after.get(name)
    if old is None or new is None or old == new:
        return f", {name} {'NULL' if new is None else new}"
    return f", {name} {old} → {new}{_difference(old, new)}"


def _difference(old: str, new: str) -> str:
    try:
        return f" ({Decimal(new) - Decimal(old):+})"
    except InvalidOperation:
        return ""
