"""`airflow-nrt demo`: the product in five minutes, in a temporary directory of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from airflow_nrt.usecases.requests.demo import DemoRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    default = DemoRequest()
    parser.add_argument("--source", default=default.source, help="where orders arrive: files (default), or kafka")
    parser.add_argument(
        "--sink", default=default.sink, help="where the curve is published: files (default), or postgres"
    )
    parser.add_argument("--keep", action="store_true", help="leave Airflow up afterwards, and say how to stop it")
    parser.add_argument("--dags", type=Path, default=default.dags, help="the DAGs of the demonstration")
    parser.add_argument("--repository", metavar="URL", help="a Maven repository that is asked before Maven Central")


def run(options: argparse.Namespace) -> int:
    request = DemoRequest(options.source, options.sink, options.dags, options.keep, options.repository)
    from airflow_nrt.demo.endings import end_as_by_ctrl_c
    from airflow_nrt.demo.screen import Screen
    from airflow_nrt.usecases.demo import demo

    end_as_by_ctrl_c()
    done = demo(request, Screen())
    return 0 if done.summary.holds else 1
