"""What sinks could take when they answered last, for a driver that begins while one is away: `notes/limits.json`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.records import read_record, record_bytes, record_of, update

_FORMAT = Format("the note of what sinks take")


@dataclass(frozen=True)
class NotedLimits:
    """By insert, pairs: SQL that is true for a row that fits, and the reason that is given for other rows."""

    inserts: Mapping[str, tuple[tuple[str, ...], ...]]


def note_limits(home: Home, insert: str, limits: tuple[tuple[str, ...], ...]) -> None:
    """Keeps them, if they are others than before. A home that can't be written keeps none."""

    def added(content: bytes | None) -> bytes | None:
        known: Mapping[str, tuple[tuple[str, ...], ...]] = {}
        with suppress(HomeError):
            known = {} if content is None else record_of(content, _FORMAT, NotedLimits, home.limits).inserts
        if known.get(insert, ()) == limits:
            return None
        return record_bytes(_FORMAT, NotedLimits({**known, insert: limits}))

    with suppress(OSError, HomeError):
        update(home.limits, added)


def noted_limits(home: Home, insert: str) -> tuple[tuple[str, ...], ...]:
    """No limits if the home has not noted any."""
    return _read(home).get(insert, ())


def _read(home: Home) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    with suppress(OSError, HomeError):
        return read_record(home.limits, _FORMAT, NotedLimits).inserts
    return {}
