"""`airflow-nrt show`: the curve of a home in the terminal."""

from __future__ import annotations

import argparse
import shutil
import sys
import time

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.instants import END_OF_TIME, format_instant
from airflow_nrt.cli.common import add_home
from airflow_nrt.cli.curve import CurveReader
from airflow_nrt.cli.curve.drawing import draw
from airflow_nrt.cli.curve.outlines import outline_of
from airflow_nrt.cli.terminal.screen import CLEAR
from airflow_nrt.home.heartbeat import ENDED, now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import Status, read_status
from airflow_nrt.model.zones import wall_clock

REFRESH_SECONDS = 1.0
OLD_DATA_MS = 86_400_000
"""Windows that end longer ago are not of today: the clock tells nothing of their lag."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_home(parser)
    parser.add_argument("--insert", metavar="NAME", help="the insert to draw (default: the first with windows)")
    parser.add_argument("--column", metavar="NAME", help="the column to draw, summed over keys (default: the first)")
    parser.add_argument("--follow", action="store_true", help="draw again every second until the driver ends")


def run(options: argparse.Namespace) -> int:
    home = Home.open(options.home, options.group)
    reader = CurveReader.of(home, outline_of(home), options.insert, options.column)
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
    window = reader.insert.window
    assert window is not None
    height = max(min(size.lines - 8, 14), 4)
    curve = draw(points, window.stride, size.columns, height, until)
    return [f"{reader.column} of {reader.insert.name}, {window.text}", *curve, progress_line(status)]


def progress_line(status: Status, now: int | None = None) -> str:
    """How far the report is, in one line. `now` is an instant (ms)."""
    progress = "" if status.age is None else f" · last entry {_rounded(max(status.age, 0))} ago"
    waiting = f" · {status.pending_files} files wait" if status.pending_files else ""
    return (
        f"driver {status.driver}, epoch {status.epoch} · {status.windows} windows published · "
        f"watermark {format_instant(status.watermark)}{_lag(status, now_ms() if now is None else now)} · "
        f"{status.rows} rows, {status.late} late{progress}{waiting}"
    )


def _lag(status: Status, now: int) -> str:
    """How far the newest window is behind the clock; where old data is played, behind the watermark."""
    if status.last_window is None or status.watermark is None or status.watermark == END_OF_TIME:
        return ""
    behind = wall_clock(now, status.zone) - status.last_window
    if 0 <= behind < OLD_DATA_MS:
        return f" · lag {_rounded(behind)}"
    return f" · lag {_rounded(max(status.watermark - status.last_window, 0))} of the data"


def _rounded(ms: int) -> str:
    return format_duration(ms // 1000 * 1000)
