"""`airflow-nrt run`: the stream of a report, in the foreground. Ctrl-C and SIGTERM stop it after its batch.

A home that has a driver is taken over only on demand. Airflow's tasks launch drivers by `engine/main.py`: they adopt a
running driver, and take over only from one that they have found lost.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import add_home, add_master, add_report, report_request
from airflow_nrt.cli.terminal.colours import Colour, is_terminal, painted
from airflow_nrt.cli.terminal.driver_output import output_in
from airflow_nrt.cli.terminal.following import Follower
from airflow_nrt.cli.terminal.screen import Screen
from airflow_nrt.cli.terminal.stream_lines import start_lines
from airflow_nrt.home.home import Home
from airflow_nrt.launch.living import living_driver
from airflow_nrt.launch.records import pending_launch
from airflow_nrt.table.reports.load import plan_of_home

if TYPE_CHECKING:
    from airflow_nrt.model.plan import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_master(parser)
    parser.add_argument(
        "--available-now", action="store_true", help="end when all that has arrived is absorbed; open windows stay open"
    )
    parser.add_argument("--take-over", action="store_true", help="end a driver that runs already, and take its place")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.driver.stopping import stop_signals
    from airflow_nrt.usecases.plans import plan_of

    plan = plan_of(report_request(options))
    home = Home.checked(options.home, plan, plan_of_home, options.group)
    if not options.take_over:
        _check_no_driver(home)
    from airflow_nrt.engine.main import check_start, run_report

    check_start(plan, options.master)
    with stop_signals() as stop, _watched(plan, home, options):
        state = run_report(plan, options.home, stop, options.master, options.available_now, group=options.group)
    print(f"{plan.name}: {state}")
    return 0


@contextlib.contextmanager
def _watched(plan: Plan, home: Home, options: argparse.Namespace) -> Iterator[None]:
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


def _check_no_driver(home: Home) -> None:
    """Raises InputError if the home has a driver, and nobody at the terminal agrees to take over."""
    found = _driver_of(home) if home.report_file.exists() else None
    if found is None:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{found}. Take over, which ends the other driver? [y/N] ", end="", file=sys.stderr)
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise InputError(
        f"{found}: stop it first (airflow-nrt stop --home {home.path}), or take over with --take-over: from there on "
        "this driver counts, and the other ends"
    )


def _driver_of(home: Home) -> str | None:
    # The launch is read before the driver: one that begins in between is found as one or the other.
    launch = pending_launch(home)
    beat = living_driver(home)
    if beat is not None:
        return f"{home.path} has a driver: {beat.state} on {beat.host}, process {beat.pid}, epoch {beat.epoch}"
    return None if launch is None else f"{home.path} has a driver that begins: launch {launch.id}, by {launch.by}"
