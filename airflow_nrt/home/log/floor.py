"""The floor of a log: entries below it are removed, and the checkpoint at the floor is the truth about them.

    log/floor.json                     the number of the first entry that stands
    checkpoints/floor-16383.json       what the entries below say to those above

The floor is durable before anything below it goes. So a writer that slept looks at the floor *after* its put: where its
number lies below, another entry had it, which is gone by now.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError, RetainedError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.checkpoint import Beginning
from airflow_nrt.home.store.records import read_record, record_bytes, record_of, update
from airflow_nrt.home.store.store_path import StorePath

_FLOOR = Format("the floor of the log")
_BEGINNING = Format("the checkpoint at the floor")
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True)
class Floor:
    """`first` is the first entry that stands, which has the id `following`. The last one below was written at `time`
    (ms). `beginning` is the name of the checkpoint at the floor, and `crc` the CRC-32 of its file."""

    first: int
    following: str
    time: int
    beginning: str
    crc: int

    def __str__(self) -> str:
        return (
            f"the log entries before {self.first} are removed, which were written up to {format_instant(self.time)} "
            "(UTC): what they say is not here"
        )

    def gone(self, directory: StorePath, n: int) -> RetainedError:
        """The error of a reader that asks for an entry below."""
        return RetainedError(
            f"log entry {n} of {directory.parent} is removed: the home keeps its history from entry {self.first} on, "
            f"after {format_instant(self.time)} (UTC)"
        )


def read_floor(directory: StorePath) -> Floor | None:
    """The floor of the log in this directory, None if it has all its entries. Raises HomeError."""
    try:
        return read_record(directory / "floor.json", _FLOOR, Floor, _MOST_BYTES)
    except FileNotFoundError:
        return None


def read_beginning(directory: StorePath, floor: Floor) -> Beginning:
    """Raises HomeError if it is not what was written when the floor was."""
    path = _checkpoints(directory) / floor.beginning
    try:
        content = path.read()
        if zlib.crc32(content) != floor.crc:
            raise ValueError("it is not what was written there")
        return decoded(_BEGINNING.read(parse_json(content), path), Beginning)
    except (OSError, ValueError, TypeError) as wrong:
        raise HomeError(
            f"{path} can't be read: {wrong}. It is all that is left of the log entries below {floor.first}: put it "
            f"back from a copy of the home {directory.parent}, or put that copy in its place"
        ) from None


def write_beginning(directory: StorePath, beginning: Beginning) -> tuple[str, int]:
    """Gives the name and the CRC-32 of its file. Raises OSError."""
    name = f"floor-{beginning.state.entry}.json"
    content = record_bytes(_BEGINNING, beginning)
    _checkpoints(directory).make()
    (_checkpoints(directory) / name).replace(content)
    return name, zlib.crc32(content)


def remove_older_beginnings(directory: StorePath, floor: Floor) -> None:
    """Those of earlier floors but the last one, which a reader may have found."""
    files = (path for path in _checkpoints(directory).below(".json") if path.name.startswith("floor-"))
    found = ((number_of(path.stem.removeprefix("floor-")), path) for path in files)
    older = sorted((n, path) for n, path in found if n is not None and n < floor.first - 1)
    for _, path in older[:-1]:
        path.delete()


def write_floor(directory: StorePath, floor: Floor) -> None:
    """From now on entries below do not count. A floor that another process has raised higher stays. Raises OSError,
    HomeError."""
    path = directory / "floor.json"

    def raised(content: bytes | None) -> bytes | None:
        is_higher = content is not None and record_of(content, _FLOOR, Floor, path).first >= floor.first
        return None if is_higher else record_bytes(_FLOOR, floor)

    update(path, raised)


def _checkpoints(directory: StorePath) -> StorePath:
    return directory.parent / "checkpoints"
