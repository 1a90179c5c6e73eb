"""Raising the floor: the checkpoint at the new floor first, then the floor itself, then what is below it goes.

Whatever a crash leaves below the floor is removed by the next one who looks (`remove_below`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.chapters import read_chapter
from airflow_nrt.home.log.floor import Floor, read_beginning, remove_older_beginnings, write_beginning, write_floor
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past.past import remove_past_below
from airflow_nrt.home.log.volumes import is_volume, read_volume
from airflow_nrt.home.retention.removal import Removal
from airflow_nrt.home.store.store_path import StorePath


def raise_floor(home: Home, log: Log, removal: Removal) -> None:
    """Removes entries for good. Raises OSError, HomeError if what was written is read back as something else."""
    directory, first = log.directory, removal.last + 1
    name, crc = write_beginning(directory, removal.beginning)
    floor = Floor(first, log.read(first).id, removal.time, name, crc)
    if read_beginning(directory, floor) != removal.beginning:
        raise HomeError(f"{name} of {home.path} does not say what the log entries up to {removal.last} say")
    write_floor(directory, floor)
    log.refresh()
    remove_below(home, log)


def remove_below(home: Home, log: Log) -> None:
    """Removes what is left of entries below the floor: their ledgers, then themselves, then files that say
    the same. Raises OSError, HomeError."""
    floor = log.floor
    if floor is None:
        return
    for path in sorted(_below(log.directory, floor.first)):
        for ledger in _ledgers(path):
            (home.ledger / ledger).delete_all()
        path.delete()
    remove_past_below(log)
    remove_older_beginnings(log.directory, floor)


def _below(directory: StorePath, first: int) -> Iterator[StorePath]:
    for path in directory.below():
        last = number_of(path.name.partition(".")[0].rpartition("-")[2])
        if last is not None and last < first:
            yield path


def _ledgers(path: StorePath) -> Iterator[str]:
    """The names of the ledgers of the entries in a file."""
    try:
        lines = read_volume(path) if is_volume(path) else read_chapter(path) if path.name.endswith("l") else None
        for line in [path.read()] if lines is None else lines:
            ledger = parse_json(line).get("ledger")
            if isinstance(ledger, str):
                # One that was read as an entry is below the directory of ledgers.
                yield PurePosixPath(ledger).name
    except (FileNotFoundError, HomeError, ValueError, AttributeError):
        # A file that a writer which slept has left, or that another process is removing.
        return
