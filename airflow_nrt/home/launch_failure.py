"""Why a launched driver could not begin: `launches/<id>.json` of its home, for its launcher and for the status."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.errors import DataError, HomeError, InputError, NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.decoding import read_record
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.formats import Format
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.directories import make_directories
from airflow_nrt.home.heartbeat import Heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings

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
        make_private(home.launches)
        note = LaunchFailure(settings.shown(str(failure)), isinstance(failure, (InputError, DataError)))
        replace_file(home.launches / f"{launch}.json", json.dumps(_FORMAT.stamped(asdict(note))).encode())
    except (OSError, NrtError) as unwritable:
        print(f"airflow-nrt: can't leave a note of this in {location}: {unwritable}", file=sys.stderr)


def launch_failure(home: Home, launch: str) -> LaunchFailure | None:
    """The failure of a launch, None if none was written. Raises HomeError if it can't be read."""
    try:
        return read_record(home.launches / f"{launch}.json", _FORMAT, LaunchFailure)
    except FileNotFoundError:
        return None


def failed_start(home: Home, beat: Heartbeat | None) -> str | None:
    """Why the newest launch could not begin; None if it has, or if the driver with this heartbeat has begun since."""
    number = home.newest_launch()
    if not number:
        return None
    with suppress(OSError, HomeError):
        failure = launch_failure(home, str(number))
        noted = (home.launches / f"{number}.json").stat().st_mtime if failure is not None else 0
        if failure is not None and (beat is None or beat.started / SECOND < noted):
            return failure.error
    return None
