"""Appends restatements: after all other entries, with the rows kept that they replace.

A driver may publish the same windows meanwhile, and so may another restatement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.publishing import decided_places, place_of
from airflow_nrt.home.log.entries import Entry, Restate
from airflow_nrt.home.log.log import EntryTaken, Log
from airflow_nrt.home.log.named_files import NamedFiles

Admit = Callable[[Restate, Sequence[Entry]], Restate]
"""What is left of a restatement after these entries, which have come since it was computed. It may raise InputError."""
Keep = Callable[[Restate, Sequence[Entry]], NamedFiles]
"""Keeps the rows that a restatement replaces, as they stand after these entries; gives the files. It is asked again if
another restatement comes meanwhile."""


def without_newer(body: Restate, later: Sequence[Entry]) -> Restate:
    """Without the places that the stream has published or removed since, or that a person has set: these are newer."""
    newer = {place for entry in later if _is_newer(entry) for place in decided_places(entry)}
    published = tuple(one for one in body.published if place_of(one) not in newer)
    return replace(body, published=published, removed=tuple(one for one in body.removed if one not in newer))


def _is_newer(entry: Entry) -> bool:
    """Of two restatements by a batch the later one counts, also where it was begun before."""
    return entry.epoch is not None or (isinstance(entry.body, Restate) and entry.body.undo is not None)


def nothing(body: Restate, later: Sequence[Entry]) -> NamedFiles:
    """Keeps no rows."""
    return {}


def append_restatement(log: Log, body: Restate, keep: Keep = nothing, admit: Admit = without_newer) -> Entry:
    """Appends a restatement after all other entries, also those that are written meanwhile. Raises as `keep` and
    `admit` do."""
    later: list[Entry] = []
    kept: NamedFiles | None = None
    read = body.as_of
    while True:
        new = list(log.entries(read + 1, log.refresh()))
        later, read = [*later, *new], max(log.last, read)
        left = admit(body, later)
        if kept is None or any(isinstance(entry.body, Restate) for entry in new):
            kept = keep(left, later)
            reach("restate-kept")
        try:
            entry = log.append(replace(left, kept={**body.kept, **kept}), None)
            reach("restate-appended")
            return entry
        except EntryTaken:
            continue
