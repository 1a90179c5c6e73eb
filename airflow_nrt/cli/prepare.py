"""`airflow-nrt prepare`: a class archive with which drivers start faster on this machine, and the jars of names;
done once after an installation."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import JARS
from airflow_nrt.model.options.known import nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"also fetch what connectors need beside Spark: {', '.join(JARS)}",
    )
    parser.add_argument("--repository", metavar="URL", help="a Maven repository that is asked before Maven Central")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.prepare import prepare, summary

    unknown = next((one for one in options.names if one not in JARS), None)
    if unknown is not None:
        known = ", ".join(JARS)
        raise InputError(f"nothing is called {unknown!r}{nearest(unknown, JARS)}; there are {known}")
    print(summary(prepare()))
    if options.names:
        from airflow_nrt.engine.java.fetch_jars import fetch_jars

        for name in options.names:
            for file in fetch_jars(JARS[name], options.repository):
                print(f"{name}: {file}")
    return 0
