"""`airflow-nrt run`: the stream of a report, in the foreground. Ctrl-C and SIGTERM stop it after its batch."""

from __future__ import annotations

import argparse

from airflow_nrt.cli.common import add_home, add_master, add_report, read_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_report(parser)
    add_home(parser)
    add_master(parser)
    parser.add_argument(
        "--available-now", action="store_true", help="end when all that has arrived is absorbed; open windows stay open"
    )


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.stopping import stop_signals

    with stop_signals() as stop:
        from airflow_nrt.engine.main import run_report

        plan = read_plan(options)
        level = "WARN" if options.debug else "OFF"
        state = run_report(plan, options.home, stop, options.master, options.available_now, log_level=level)
    print(f"{plan.name}: {state}")
    return 0
