"""`airflow-nrt show`: the curve of a home in the terminal."""

from __future__ import annotations

import argparse
import shutil
import sys
import time

from airflow_nrt.cli.common import add_home
from airflow_nrt.cli.curve import CurveReader
from airflow_nrt.cli.drawing import draw
from airflow_nrt.report.durations import format_duration
from airflow_nrt.report.heartbeat import ENDED
from airflow_nrt.report.home import Home
from airflow_nrt.report.instants import format_instant
from airflow_nrt.report.status import Status, read_status
from airflow_nrt.sql.load import plan_of_home

REFRESH_SECONDS = 1.0
CLEAR = "\x1b[H\x1b[J"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--insert", metavar="NAME", help="the insert to draw (default: the first with windows)")
    parser.add_argument("--column", metavar="NAME", help="the column to draw, summed over keys (default: the first)")
    parser.add_argument("--follow", action="store_true", help="draw again every second until the driver ends")


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home)
    reader = CurveReader.of(home, plan_of_home(home), options.insert, options.column)
    while True:
        status = read_status(home)
        picture = "\n".join(picture_lines(reader, status))
        print(f"{CLEAR if options.follow and sys.stdout.isatty() else ''}{picture}", flush=True)
        if not options.follow or status.driver in ENDED:
            return 0
        time.sleep(REFRESH_SECONDS)


def picture_lines(reader: CurveReader, status: Status, until: int | None = None) -> list[str]:
    """A title, the curve, and one line of progress."""
    size = shutil.get_terminal_size((100, 30))
    points = [(point.end, point.value) for point in reader.points()]
    assert reader.insert.window is not None
    height = max(min(size.lines - 8, 14), 4)
    curve = draw(points, reader.insert.window.stride, size.columns, height, until)
    return [f"{reader.column} of {reader.insert.name}, {reader.insert.window}", *curve, progress_line(status)]


def progress_line(status: Status) -> str:
    """How far the report is, in one line."""
    progress = "" if status.age is None else f" · last entry {format_duration(max(status.age, 0) // 1000 * 1000)} ago"
    waiting = f" · {status.pending_files} files wait" if status.pending_files else ""
    return (
        f"driver {status.driver}, epoch {status.epoch} · {status.windows} windows published · "
        f"watermark {format_instant(status.watermark)} · {status.rows} rows, {status.late} late{progress}{waiting}"
    )
