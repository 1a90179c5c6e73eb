"""Why a driver that was launched could not begin: `launches/<id>.json` of its home, for whoever launched it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass

from airflow_nrt.basics.errors import DataError, InputError, NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.decoding import read_record
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.formats import Format
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.directories import make_directories
from airflow_nrt.home.home import Home
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings

_FORMAT = Format("the note of a launch that failed,")


@dataclass(frozen=True)
class LaunchFailure:
    """Why a driver ended before it held the lease; `final` if another one would end alike."""

    error: str
    final: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", shortened(self.error))


def note_launch_failure(
    location: str, launch: str, failure: NrtError, group: str | None = None, settings: Settings = NO_SETTINGS
) -> None:
    """Leaves the reason in a home, made or not, without the masked values of these settings.

    One that can't be left is told on standard error.
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
    """What was left for a launch, None if nothing was. Raises HomeError if it can't be read."""
    try:
        return read_record(home.launches / f"{launch}.json", _FORMAT, LaunchFailure)
    except FileNotFoundError:
        return None
