"""`airflow-nrt prepare`: a class archive with which drivers start faster on this machine, and the jars of names;
done once after an installation."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.jars import JARS
from airflow_nrt.cli.common import Steps
from airflow_nrt.usecases.requests.prepare import PrepareRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"also fetch what connectors need beside Spark: {', '.join(JARS)}",
    )
    parser.add_argument("--repository", metavar="URL", help="a Maven repository that is asked before Maven Central")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.usecases.prepare import prepare

    done = prepare(PrepareRequest(tuple(options.names), options.repository), Steps())
    made = str(done.archive) if done.archive else "this Java makes none, drivers start without"
    print(f"class archive: {made}")
    for name, files in done.jars.items():
        for file in files:
            print(f"{name}: {file}")
    return 0
