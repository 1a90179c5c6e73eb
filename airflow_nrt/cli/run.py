"""`airflow-nrt run`: the stream of a report, in the foreground. Ctrl-C and SIGTERM stop it after its batch."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from airflow_nrt.cli.common import add_home, add_master, add_report, report_in_home
from airflow_nrt.cli.terminal.colours import Colour, is_terminal, painted
from airflow_nrt.cli.terminal.driver_output import output_in
from airflow_nrt.cli.terminal.following import Follower
from airflow_nrt.cli.terminal.screen import Screen
from airflow_nrt.cli.terminal.stream_lines import start_lines
from airflow_nrt.home.home import Home
from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.usecases.requests.run import RunRequest

if TYPE_CHECKING:
    from airflow_nrt.model.plan import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_master(parser)
    parser.add_argument(
        "--available-now",
        action="store_true",
        help="end when all data that has arrived is absorbed; open windows stay open",
    )
    parser.add_argument("--take-over", action="store_true", help="end a running driver, and take its place")
    parser.add_argument(
        "--on-change", choices=[*map(str, OnChange)], default="fail",
        help="if the report is another one than that of the home: fail, or rebuild: compute its past beside the stream "
        "that runs, then let it take its place (default: fail)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.run import run as run_stream

    request = RunRequest(report_in_home(options), options.available_now, options.take_over, OnChange(options.on_change))
    ended = run_stream(request, _agrees, partial(_watched, options))
    print(f"{ended.report}: {ended.state}")
    return 0


@contextlib.contextmanager
def _watched(options: argparse.Namespace, plan: Plan, home: Home) -> Iterator[None]:
    """Inside, standard error shows what the stream does, and at the end a summary."""
    prints = is_terminal(sys.stdout) and any(insert.sink.connector == "print" for insert in plan.inserts)
    screen = Screen(has_status=not options.debug and not prints)
    title, *rest = start_lines(plan, str(home.path), options.master)
    noise = "on standard error" if options.debug else f"in {home.driver_log} (--debug shows it here)"
    for line in (painted(title, Colour.TITLE, sys.stderr), *rest, f"  what Spark says is {noise}"):
        screen.line(line)
    # A process may have been started without standard error.
    as_it_is = options.debug or sys.stderr is None
    with contextlib.nullcontext() if as_it_is else output_in(home, plan.given.shown, screen.line):
        follower = Follower(home, screen)
        try:
            with follower:
                yield
        finally:
            if follower.sum is not None:
                screen.line(painted(f"{plan.name}: {follower.sum}", Colour.TITLE, sys.stderr))


def _agrees(driver: str) -> bool:
    """Asks a person at the terminal whether to take over from a driver."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{driver}. Take over, which ends the other driver? [y/N] ", end="", file=sys.stderr)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
