"""`airflow-nrt run`: the stream of a report, in the foreground. Ctrl-C and SIGTERM stop it after its batch.

A home that has a driver is taken over only on demand. Airflow's tasks launch drivers in another way, `engine/main.py`:
they adopt one that runs, and take over only from one that they have judged to be lost.
"""

from __future__ import annotations

import argparse
import sys

from airflow_nrt.cli.common import add_home, add_master, add_report, read_plan
from airflow_nrt.launch.living import living_driver
from airflow_nrt.launch.records import pending_launch
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.home import Home
from airflow_nrt.table.load import plan_of_home


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_master(parser)
    parser.add_argument(
        "--available-now", action="store_true", help="end when all that has arrived is absorbed; open windows stay open"
    )
    parser.add_argument(
        "--take-over", action="store_true", help="end a driver that runs already: from here on this one counts"
    )


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.stopping import stop_signals

    plan = read_plan(options)
    if not options.take_over:
        _leave_to_the_living(Home.checked(options.home, plan, plan_of_home, options.group))
    with stop_signals() as stop:
        from airflow_nrt.engine.main import run_report

        level = "WARN" if options.debug else "OFF"
        state = run_report(
            plan, options.home, stop, options.master, options.available_now, log_level=level, group=options.group
        )
    print(f"{plan.name}: {state}")
    return 0


def _leave_to_the_living(home: Home) -> None:
    """Raises InputError if the home has a driver, and nobody at the terminal says to take over."""
    found = _driver_of(home) if home.report_file.exists() else None
    if found is None:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{found}. Take over, so that this one counts and the other ends? [y/N] ", end="", file=sys.stderr)
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise InputError(
        f"{found}: stop it first (airflow-nrt stop --home {home.path}), or take over with --take-over: from there on "
        "this driver counts, and the other ends"
    )


def _driver_of(home: Home) -> str | None:
    # Before the driver: a launch that begins in between is found as one or the other.
    launch = pending_launch(home)
    beat = living_driver(home)
    if beat is not None:
        return f"{home.path} has a driver: {beat.state} on {beat.host}, process {beat.pid}, epoch {beat.epoch}"
    return None if launch is None else f"{home.path} has a driver that begins: launch {launch.id}, by {launch.by}"
