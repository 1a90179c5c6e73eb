"""Expressions that were NULL because they could not be computed: how often, where, and the last time how:
`notes/nulled.json`.

It is written before the entry. An entry that is computed again is counted once.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import counted, shortened
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.counts import Counted
from airflow_nrt.home.store.records import read_record, record_bytes, record_of, update

_MOST_BYTES = 8 * 1024 * 1024
_MOST = 100
_MOST_PLACES = 20
_MOST_LETTERS = 500
_FORMAT = Format("the note of values that can't be computed")


@dataclass(frozen=True)
class NulledExpression:
    """So many values of an expression, and the last of them as it was computed.

    `places` counts them by window or group with its key, or by row, in the newest places.
    """

    count: int
    last: str
    places: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        place = ([*self.places] or [""])[-1]
        return f"{counted(self.count, 'value')}, the last {self.last} {place}".rstrip()

    def plus(self, other: NulledExpression) -> NulledExpression:
        """With the values of a later one."""
        places = dict(self.places)
        for place, count in other.places.items():
            places[place] = places.pop(place, 0) + count
        return NulledExpression(self.count + other.count, other.last, dict([*places.items()][-_MOST_PLACES:]))


@dataclass(frozen=True)
class NulledExpressions:
    """The expressions of a report, by their texts. `before` are the counts before the last counted `entry`."""

    expressions: Mapping[str, NulledExpression]
    entry: int | None = None
    before: Mapping[str, NulledExpression] = field(default_factory=dict)


def note_nulled(home: Home, entry: int | None, found: Mapping[str, NulledExpression]) -> None:
    """Adds the values of a driver's entry, or of a backfill (None), for at most so many expressions.

    A home that can't be written keeps none.
    """
    if not found and not home.nulled.exists():
        return

    def added(content: bytes | None) -> bytes | None:
        noted = NulledExpressions({})
        with suppress(HomeError):
            noted = noted if content is None else record_of(content, _FORMAT, NulledExpressions, home.nulled)
        made = Counted(noted.expressions, noted.entry, noted.before).plus(entry, found, _sum)
        return None if made is None else record_bytes(_FORMAT, NulledExpressions(made.counts, made.entry, made.before))

    with suppress(OSError, HomeError):
        update(home.nulled, added)


def nulled_expressions(home: Home) -> Mapping[str, NulledExpression]:
    """What the home has noted; nothing if it can't be read."""
    return _noted(home).expressions


def _noted(home: Home) -> NulledExpressions:
    with suppress(OSError, HomeError):
        return read_record(home.nulled, _FORMAT, NulledExpressions, _MOST_BYTES)
    return NulledExpressions({})


def _sum(before: Mapping[str, NulledExpression], found: Mapping[str, NulledExpression]) -> dict[str, NulledExpression]:
    known = dict(before)
    for text, one in found.items():
        name = shortened(text, _MOST_LETTERS)
        known[name] = known.pop(name, NulledExpression(0, "")).plus(_shortened(one))
    return dict([*known.items()][-_MOST:])


def _shortened(one: NulledExpression) -> NulledExpression:
    places = {shortened(place, _MOST_LETTERS): count for place, count in one.places.items()}
    return NulledExpression(one.count, shortened(one.last, _MOST_LETTERS), places)
