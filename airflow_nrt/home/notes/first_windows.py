"""From which window on tables have windows that were added after old log entries went: `notes/first_windows.json`.

The log says it until its own old entries go, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.records import read_record, record_bytes

_FORMAT = Format("the note of first windows")


@dataclass(frozen=True)
class FirstWindows:
    """By added insert, the end (ms of the report's clock) of its first window."""

    ends: Mapping[str, int]


def note_first_windows(home: Home, ends: Mapping[str, int | None]) -> dict[str, int]:
    """Notes those that are not known yet, and gives them. A home that can't be written keeps none."""
    known = noted_first_windows(home)
    new = {name: end for name, end in ends.items() if end is not None and name not in known}
    with suppress(OSError, HomeError):
        if new:
            home.notes.make()
            home.first_windows.replace(record_bytes(_FORMAT, FirstWindows({**known, **new})))
    return new


def noted_first_windows(home: Home) -> Mapping[str, int]:
    """By added insert; nothing if there is no note."""
    with suppress(OSError, HomeError):
        return read_record(home.first_windows, _FORMAT, FirstWindows).ends
    return {}


def lacks_earlier(name: str, end: int | None) -> str:
    """It in words, None for a table that gets its first window later."""
    has = "only windows from now on" if end is None else f"windows that end at {format_instant(end)} or later"
    return f"{name} has {has}: the log entries that published earlier ones are removed (backfill those into a new home)"
