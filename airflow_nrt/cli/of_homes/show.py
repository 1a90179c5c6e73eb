"""`airflow-nrt show`: the curve of a home in the terminal."""

from __future__ import annotations

import argparse
import sys
import time

from airflow_nrt.cli.common import add_home
from airflow_nrt.cli.terminal.screen import CLEAR
from airflow_nrt.curve import curve_of
from airflow_nrt.curve.outlines import outline_of
from airflow_nrt.curve.picture import picture_lines
from airflow_nrt.home.heartbeat import ENDED
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_status

REFRESH_SECONDS = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--insert", metavar="NAME", help="the insert to draw (default: the first with windows)")
    parser.add_argument("--column", metavar="NAME", help="the column to draw, summed over keys (default: the first)")
    parser.add_argument("--follow", action="store_true", help="draw again every second until the driver ends")


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    reader = curve_of(home, outline_of(home), options.insert, options.column)
    while True:
        status = read_status(home)
        picture = "\n".join(picture_lines(reader, status))
        print(f"{CLEAR if options.follow and sys.stdout.isatty() else ''}{picture}", flush=True)
        if not options.follow or status.driver in ENDED:
            return 0
        time.sleep(REFRESH_SECONDS)
