"""Why a driver could not begin: `launches/<id>.json` of its home, for its launcher and for the status.

A start in a terminal has no launch; its note is `launches/terminal.json`.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.errors import DataError, HomeError, InputError, NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.formats import Format
from airflow_nrt.home.directories import make_directories
from airflow_nrt.home.heartbeat import Heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings

TERMINAL = "terminal"
"""Stands for the id of a launch in the note of a start that had none."""
_FORMAT = Format("the note of a launch that failed,")


@dataclass(frozen=True)
class LaunchFailure:
    """Why a driver ended before it held the lease. `final` if another driver would fail in the same way."""

    error: str
    final: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", shortened(self.error))


def note_launch_failure(
    location: str, launch: str, failure: NrtError, group: str | None = None, settings: Settings = NO_SETTINGS
) -> None:
    """Writes the reason to a home, which may not exist yet, without the masked values of these settings.

    Prints it to standard error if the home can't be written.
    """
    try:
        home = Home.at(location, group)
        make_directories(home.path, home.group)
        home.launches.make()
        note = LaunchFailure(settings.shown(str(failure)), isinstance(failure, (InputError, DataError)))
        (home.launches / f"{launch}.json").replace(record_bytes(_FORMAT, note))
    except (OSError, NrtError) as unwritable:
        print(f"airflow-nrt: can't leave a note of this in {location}: {unwritable}", file=sys.stderr)


def launch_failure(home: Home, launch: str) -> LaunchFailure | None:
    """The failure of a launch, None if none was written. Raises HomeError if it can't be read."""
    try:
        return read_record(home.launches / f"{launch}.json", _FORMAT, LaunchFailure)
    except FileNotFoundError:
        return None


def failed_start(home: Home, beat: Heartbeat | None) -> str | None:
    """Why the newest launch, or a later start in a terminal, could not begin; None if the driver with this heartbeat
    has begun since."""
    began = 0.0 if beat is None else beat.started / SECOND
    newest = None
    for launch in (str(home.newest_launch()), TERMINAL):
        with suppress(OSError, HomeError):
            # Most homes have no note. A page asks of many homes each second.
            seen = (home.launches / f"{launch}.json").seen()
            noted = 0.0 if seen is None else seen.changed / 1e9
            failure = launch_failure(home, launch) if noted > began else None
            if failure is not None:
                newest, began = failure.error, noted
    return newest
