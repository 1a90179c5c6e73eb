"""Rows of results that a sink can't take, how many and the last of each kind: `notes/left_out.json`.

It is written before the entry. An entry that is computed again is counted once.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.counts import Counted
from airflow_nrt.home.store.records import read_record, record_bytes, record_of, update

_MOST_BYTES = 8 * 1024 * 1024
_MOST = 100
_MOST_LETTERS = 500
_FORMAT = Format("the note of rows that sinks can't take")


@dataclass(frozen=True)
class LeftOut:
    """So many rows, and the last of them as JSON."""

    count: int
    last: str

    def plus(self, other: LeftOut) -> LeftOut:
        """With the rows of a later one."""
        return LeftOut(self.count + other.count, other.last)


@dataclass(frozen=True)
class LeftOutRows:
    """Rows by insert, and by the reason. `before` are the counts before the last counted `entry`."""

    inserts: Mapping[str, Mapping[str, LeftOut]]
    entry: int | None = None
    before: Mapping[str, Mapping[str, LeftOut]] = field(default_factory=dict)


def note_left_out(home: Home, entry: int | None, found: Mapping[str, Mapping[str, LeftOut]]) -> None:
    """Adds the rows of a driver's entry, or of a backfill (None), for at most so many reasons.

    A home that can't be written keeps none.
    """
    if not found and not home.left_out.exists():
        return

    def added(content: bytes | None) -> bytes | None:
        noted = LeftOutRows({})
        with suppress(HomeError):
            noted = noted if content is None else record_of(content, _FORMAT, LeftOutRows, home.left_out)
        made = Counted(noted.inserts, noted.entry, noted.before).plus(entry, found, _sum)
        return None if made is None else record_bytes(_FORMAT, LeftOutRows(made.counts, made.entry, made.before))

    with suppress(OSError, HomeError):
        update(home.left_out, added)


def left_out_rows(home: Home) -> Mapping[str, Mapping[str, LeftOut]]:
    """What the home has noted; nothing if it can't be read."""
    return _noted(home).inserts


def _sum(
    before: Mapping[str, Mapping[str, LeftOut]], found: Mapping[str, Mapping[str, LeftOut]]
) -> dict[str, Mapping[str, LeftOut]]:
    known = dict(before)
    for insert, reasons in found.items():
        mine = dict(known.get(insert, {}))
        for reason, one in reasons.items():
            text = shortened(reason, _MOST_LETTERS)
            mine[text] = mine.pop(text, LeftOut(0, "")).plus(replace(one, last=shortened(one.last, _MOST_LETTERS)))
        known[insert] = dict([*mine.items()][-_MOST:])
    return known


def _noted(home: Home) -> LeftOutRows:
    with suppress(OSError, HomeError):
        return read_record(home.left_out, _FORMAT, LeftOutRows, _MOST_BYTES)
    return LeftOutRows({})
