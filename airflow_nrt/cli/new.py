"""`airflow-nrt new`: a report, a DAG, sample data and a test to begin with."""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.common import print_lines
from airflow_nrt.cli.scaffold import write

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="[DIR/]NAME", help="the name of the report, and of its new directory")


def run(options: argparse.Namespace) -> int:
    directory = Path(options.name)
    name = directory.name
    if _NAME.fullmatch(name) is None or keyword.iskeyword(name):
        raise InputError(f"{name!r} can't be the name of a report: it has letters, digits and _, as in orders_curve")
    made = write(directory, name)
    width = max(map(len, made))
    report, place = directory / f"{name}.sql", directory.absolute()
    print_lines(
        f"{directory} has",
        *(f"  {place:{width}}  {what}" for place, what in made.items()),
        "what to do next",
        f"  airflow-nrt run {report} --available-now",
        f"  cp {directory}/later/2.csv {directory}/orders/ && airflow-nrt run {report} --available-now",
        f"  airflow-nrt verify {report}",
        f"  pip install pytest && pytest {directory}",
        f"  AIRFLOW__CORE__DAGS_FOLDER={place} AIRFLOW__NRT__HOMES={place} airflow standalone",
    )
    return 0
