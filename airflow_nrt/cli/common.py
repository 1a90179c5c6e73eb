"""Shared code of commands: arguments and the requests that they make, and how a result is printed."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.terminal.colours import Colour, painted
from airflow_nrt.describe.verdict import Verdict, closing_line, verdict_lines
from airflow_nrt.home.home import Home
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER, ReportInHome, ReportRequest

if TYPE_CHECKING:
    from airflow_nrt.usecases.asking import Inquiry


def add_report(parser: argparse.ArgumentParser, or_else: str = "") -> None:
    """The report argument; `or_else` says what may be given instead."""
    text = f"the report: a file of Flink SQL, a Python program, or [DIR/]module:function{or_else}"
    parser.add_argument("report", metavar="REPORT", help=text)
    add_settings(parser)
    parser.add_argument(
        "--base",
        type=Path,
        metavar="DIR",
        help="where relative paths of tables start (default: the report's directory)",
    )


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="fill the placeholder ${K}, or set the option K; may be repeated",
    )
    parser.add_argument(
        "--unsafe-set",
        action="append",
        default=[],
        metavar="K=V",
        help="as --set, where the value of the placeholder may be any piece of SQL",
    )


def add_home(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--home", metavar="DIR", help="the home of the report (default: that of airflow_nrt.toml)")
    parser.set_defaults(needs_home=True)
    add_group(parser)


def add_group(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--group", help="the group that shares the home, by name or id (default: no group)")


def add_json(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="JSON for programs")


def add_master(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--master", help=f"the Spark master (default: that of airflow_nrt.toml, or {DEFAULT_MASTER})")


def add_interval(parser: argparse.ArgumentParser, *, required: bool) -> None:
    text = "windows that end after START and up to END on the report's clock, e.g. '2024-06-18 00:00'"
    parser.add_argument("--start", required=required, metavar="START", help=text)
    parser.add_argument("--end", required=required, metavar="END")


def add_waiting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--wait-for-stream",
        type=_milliseconds,
        default=0,
        metavar="TIME",
        help="wait up to TIME, for example 10min, until the stream has read all that has arrived (default: not at all)",
    )


def _milliseconds(text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def report_in_home(options: argparse.Namespace) -> ReportInHome:
    """The report argument, its home and its Spark master. Raises InputError as `settings_of` does."""
    return ReportInHome(report_request(options), options.home, options.group, options.master or DEFAULT_MASTER)


def report_request(options: argparse.Namespace) -> ReportRequest:
    """The report argument. Raises InputError as `settings_of` does."""
    return ReportRequest(options.report, settings_of(options), options.base)


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings of --set, and those that a task gives its command. Raises InputError for an argument without `=`."""
    given: Settings = getattr(options, "given", Settings())
    values = dict(given.values)
    for option, pairs in (("--set", options.set), ("--unsafe-set", options.unsafe_set)):
        for number, pair in enumerate(pairs, 1):
            key, separator, value = pair.partition("=")
            if not separator:
                # The argument itself may be a secret.
                raise InputError(f"{option} wants K=V: there is no '=' in its argument number {number}")
            values[key] = value
    unsafe = (pair.partition("=")[0] for pair in options.unsafe_set)
    return replace(given, values=tuple(values.items()), unsafe=(*given.unsafe, *unsafe))


def add_time_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-limit",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="time limit to plan the report, its imports included (default: 120)",
    )


def inquiry_about(report: str, options: argparse.Namespace) -> Inquiry:
    """How a report is asked about. What is printed meanwhile goes to standard error. Raises InputError."""
    from airflow_nrt.usecases.asking import Inquiry

    way_out = "give it more with --time-limit SECONDS"
    return Inquiry(f"the report {report}", options.time_limit, way_out, partial(_print_while_read, stream=sys.stderr))


def print_lines(*lines: str) -> None:
    """Prints a result. A reader that closes the pipe early does not change the exit status."""
    _print_while_read("\n".join(lines), sys.stdout)


def print_verdict(verdict: Verdict) -> None:
    """Prints a verdict; the colour of its last sentence shows whether it is good."""
    closing = closing_line(verdict)
    colour = Colour.GOOD if verdict.is_proven else Colour.WRONG
    print_lines(*(painted(line, colour, sys.stdout) if line == closing else line for line in verdict_lines(verdict)))


def print_json(value: Mapping[str, Any] | list[Any]) -> None:
    print_lines(json.dumps(value, indent=2, ensure_ascii=False))


def _print_while_read(text: str, stream: TextIO) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        leave_unread(stream)


def leave_unread(stream: TextIO) -> None:
    """Sends what is still written to this stream to nowhere, because nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say_what_is_gone(home: Home) -> None:
    """On standard error, that old entries of the home are removed, if they are."""
    floor = home.log().floor
    if floor is not None:
        _print_while_read(f"{home.path}: {floor}", sys.stderr)


class Steps:
    """Progress on standard error: each step with the seconds since the start."""

    def __init__(self) -> None:
        self.started = time.monotonic()

    def __call__(self, *texts: str) -> None:
        for text in texts:
            _print_while_read(f"[{time.monotonic() - self.started:6.1f} s] {text}", sys.stderr)
