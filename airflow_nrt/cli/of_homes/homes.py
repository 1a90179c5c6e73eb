"""`airflow-nrt homes`: the state of all homes below a directory, one line each."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.basics.instants import END_OF_TIME, format_reached, iso_instant
from airflow_nrt.cli.common import add_group, add_json, print_json, print_lines
from airflow_nrt.cli.of_homes.exposition import exposition
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.public_files import PUBLIC
from airflow_nrt.home.heartbeat import RUNNING, STARTING
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import Pulse, read_pulse
from airflow_nrt.launch.living import DIED, is_beginning
from airflow_nrt.launch.processes import driver_process
from airflow_nrt.page.homes.places import DEPTH, Place, Root, find

_HEAD = ("home", "report", "driver", "windows", "complete up to", "lag", "what is wrong")
_UNREADABLE = "unreadable"
_SECOND = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("root", metavar="DIR", help=f"the directory, with homes up to {DEPTH} directories below it")
    add_group(parser)
    shown = parser.add_mutually_exclusive_group()
    add_json(shown)
    shown.add_argument(
        "--prometheus", metavar="FILE", type=Path,
        help="write metrics into FILE, which Prometheus' node exporter collects (--collector.textfile.directory)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    found = find(Root(options.root, options.root, options.group))
    if found.problems:
        raise InputError(found.problems[0])
    homes = [_state(place) for place in sorted(found.places.values(), key=lambda one: one.name)]
    if options.prometheus is not None:
        metrics = exposition({str(one.place.path): one.pulse for one in homes})
        _write(options.prometheus, metrics)
    elif options.json:
        print_json([one.to_json() for one in homes])
    elif homes:
        print_lines(*_table([_HEAD, *(one.cells for one in homes)]))
    else:
        print_lines(f"there is no home in {options.root}, nor up to {DEPTH} directories below it")
    return 0


def _write(file: Path, metrics: str) -> None:
    """Raises InputError. A collector sees the old file or the new one."""
    try:
        replace_file(file, metrics.encode(), PUBLIC)
    except OSError as wrong:
        raise InputError(f"{file} can't be written: {wrong.strerror}") from None


@dataclass(frozen=True)
class _OneHome:
    """A home, and what its pulse says; without one, it could not be read. `why` says what is wrong."""

    place: Place
    driver: str
    why: str | None
    pulse: Pulse | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        pulse = self.pulse
        if pulse is None:
            return self.place.name, "", self.driver, "", "", "", self.why or ""
        lag = "" if pulse.lag is None or pulse.watermark == END_OF_TIME else _rounded(pulse.lag)
        reached = format_reached(pulse.last_window)
        return self.place.name, pulse.report, self.driver, str(pulse.windows), reached, lag, self.why or ""

    def to_json(self) -> dict[str, Any]:
        known = {"home": str(self.place.path), "driver": self.driver, "error": self.why}
        pulse = self.pulse
        if pulse is None:
            return known
        lag = None if pulse.lag is None or pulse.watermark == END_OF_TIME else pulse.lag // _SECOND
        more = {"report": pulse.report, "windows": pulse.windows, "last_window": iso_instant(pulse.last_window)}
        return {**known, **more, "lag_seconds": lag}


def _state(place: Place) -> _OneHome:
    try:
        home = Home.open(place.path, place.root.group)
        pulse = read_pulse(home)
    except NrtError as wrong:
        return _OneHome(place, _UNREADABLE, str(wrong))
    if pulse.driver not in (RUNNING, STARTING) and is_beginning(home):
        pulse = replace(pulse, driver=STARTING)
        return _OneHome(place, STARTING, pulse.error, pulse)
    beat = pulse.heartbeat
    is_gone = beat is not None and not beat.is_over and driver_process(beat).is_gone()
    return _OneHome(place, DIED if is_gone else pulse.driver, pulse.error, pulse)


def _rounded(ms: int) -> str:
    return format_duration(ms // _SECOND * _SECOND)


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """The rows with columns of one width, each error on one line."""
    shown = [tuple(cell.replace("\n", " ") for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in shown]
