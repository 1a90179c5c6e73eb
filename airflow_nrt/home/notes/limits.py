"""What sinks could take when they answered last, for a driver that begins while one is away: `notes/limits.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import read_record
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.formats import Format
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.home import Home

_FORMAT = Format("the note of what sinks take")


@dataclass(frozen=True)
class NotedLimits:
    """By insert, pairs: SQL that is true for a row that fits, and the reason that is given for other rows."""

    inserts: Mapping[str, tuple[tuple[str, ...], ...]]


def note_limits(home: Home, insert: str, limits: tuple[tuple[str, ...], ...]) -> None:
    """Keeps them, if they are others than before. A home that can't be written keeps none."""
    with suppress(OSError, HomeError):
        known = dict(_read(home))
        if known.get(insert, ()) == limits:
            return
        known[insert] = limits
        make_private(home.notes)
        replace_file(home.limits, json.dumps(_FORMAT.stamped(asdict(NotedLimits(known)))).encode())


def noted_limits(home: Home, insert: str) -> tuple[tuple[str, ...], ...]:
    """No limits if the home has not noted any."""
    return _read(home).get(insert, ())


def _read(home: Home) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    with suppress(OSError, HomeError):
        return read_record(home.limits, _FORMAT, NotedLimits).inserts
    return {}
