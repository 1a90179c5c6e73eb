"""Pins: windows that a person has set to an older version. What a batch computes does not replace them.

A stream publishes no version of such a window, because it had its last one before. But a stream may begin in a home in
which only backfills have published windows: it publishes all its windows, which ends their pins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Entry, Fill, Restate


@dataclass(frozen=True)
class Pin:
    """The window of an insert that ends at `end` (ms) was set by log entry `entry`, `at` a time (ms of the wall clock).

    It has the rows of the version that entry `version` had published; they are in the directory `rows` below the home.
    `reason` is what the person said, '' if nothing.
    """

    insert: str
    end: int
    entry: int
    at: int
    by: Author
    version: int
    rows: str
    reason: str = ""

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        return f"set by {self.by} on {format_instant(self.at)} UTC{reason}"


def pins_after(pins: tuple[Pin, ...], entry: Entry) -> tuple[Pin, ...]:
    """The pins after an entry, of those before it."""
    body = entry.body
    if isinstance(body, Restate):
        made = tuple(_made(entry, body))
        if made or body.unpinned:
            set_again = {(one.insert, one.end) for one in made}
            return (*(one for one in pins if not _ends(one, body) and (one.insert, one.end) not in set_again), *made)
        return pins
    if not pins:
        return pins
    if isinstance(body, Fill):
        return (*pins, *_of_twin(pins, body, {one.end for one in body.published}))
    published = {(one.insert, one.end) for one in entry.published}
    left = tuple(one for one in pins if (one.insert, one.end) not in published)
    return pins if len(left) == len(pins) else left


def _made(entry: Entry, body: Restate) -> Iterator[Pin]:
    if body.undo is None or body.by is None:
        return
    one = body.undo
    yield Pin(one.insert, one.end, entry.n, entry.time, body.by, one.version, one.rows, body.cause)


def _ends(pin: Pin, body: Restate) -> bool:
    """Whether a restatement that knew of the pin has ended it."""
    return pin.end in body.unpinned.get(pin.insert, ()) and pin.entry <= body.as_of


def _of_twin(pins: Iterable[Pin], fill: Fill, filled: set[int | None]) -> Iterator[Pin]:
    """A table that is filled from another one has its rows, also those that a person has set."""
    for pin in pins:
        if pin.insert == fill.twin and pin.end in filled:
            yield replace(pin, insert=fill.insert)
