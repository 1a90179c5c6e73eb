"""The generations of a home. A changed report is computed beside the one that counts, until it takes its place.

log/ state/ …               of the first generation
generations/2/log/ …        of the second one, with its own report

The last entry of a log that was left names the generation that counts from there on, so one entry decides.

generations/first.json      the first one that is not removed, if some are
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.entries import Left
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

GENERATIONS = "generations"
"""The directory of all but the first one."""
FIRST = 1
_FIRST_FILE = "first.json"
_FORMAT = Format("the first generation")
_MOST_BYTES = 1024


def place_of(generation: int) -> str:
    """Where a generation lies below its home, as a key of a store."""
    return "" if generation == FIRST else f"{GENERATIONS}/{generation}"


def later_generations(home: StorePath) -> list[int]:
    """The numbers of all but the first one, in order. One that is being given up may be among them."""
    numbers = map(number_of, (home / GENERATIONS).names())
    return sorted(one for one in numbers if one is not None and one > FIRST)


@dataclass(frozen=True)
class FirstGeneration:
    """The `first` generation of a home that is not removed. It was left, or it counts."""

    first: int


def first_generation(home: StorePath) -> int:
    """Raises HomeError if that can't be read."""
    try:
        return read_record(home / GENERATIONS / _FIRST_FILE, _FORMAT, FirstGeneration, _MOST_BYTES).first
    except FileNotFoundError:
        return FIRST


def set_first(home: StorePath, generation: int) -> None:
    """Raises OSError."""
    (home / GENERATIONS / _FIRST_FILE).replace(record_bytes(_FORMAT, FirstGeneration(generation)))


def generation_that_counts(home: StorePath) -> int:
    """Raises HomeError if the end of a log can't be read."""
    # Most homes have one, and their logs need not be read.
    if not later_generations(home):
        return FIRST
    found = first_generation(home)
    while (next_one := left_for(log_of(home, found))) is not None:
        found = next_one
    return found


def generation_before(home: StorePath, generation: int) -> int | None:
    """The one that was left for this one, None if none was, or if it is removed. Raises HomeError."""
    first = first_generation(home)
    for number in (FIRST, *later_generations(home)):
        if first <= number < generation and left_for(log_of(home, number)) == generation:
            return number
    return None


def left_for(log: Log) -> int | None:
    """The generation for which this log was left, None if drivers go on with it."""
    body = log.read(log.last).body if log.last >= log.first else None
    return body.successor if isinstance(body, Left) else None


def log_of(home: StorePath, generation: int) -> Log:
    place = place_of(generation)
    return Log((home / place if place else home) / "log")
