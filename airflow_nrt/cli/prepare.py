"""`airflow-nrt prepare`: a class archive with which drivers start faster on this machine, and the jars of connectors;
done once after an installation."""

from __future__ import annotations

import argparse

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import JARS
from airflow_nrt.model.options.known import nearest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "connectors",
        nargs="*",
        metavar="CONNECTOR",
        help=f"also fetch the jars of these connectors: {', '.join(JARS)}",
    )
    parser.add_argument("--repository", metavar="URL", help="a Maven repository that is asked before Maven Central")


def run(options: argparse.Namespace) -> int:
    from airflow_nrt.engine.prepare import prepare, summary

    unknown = next((one for one in options.connectors if one not in JARS), None)
    if unknown is not None:
        known = ", ".join(JARS)
        raise InputError(f"no connector {unknown!r} needs jars{nearest(unknown, JARS)}; those that do: {known}")
    print(summary(prepare()))
    if options.connectors:
        from airflow_nrt.engine.java.fetch_jars import fetch_jars

        for connector in options.connectors:
            for file in fetch_jars(JARS[connector], options.repository):
                print(f"{connector}: {file}")
    return 0
