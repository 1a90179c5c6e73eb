"""The windows that tables lack which were added to a report, and which the tables of their twins have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from airflow_nrt.home.log.entries import Entry, Fill
from airflow_nrt.home.log.history.sink_history import ADDED, REPLACED, Change, standing_at
from airflow_nrt.home.log.past.past_entry import PastEntry


def lacking(entries: Iterable[Entry | PastEntry], added: Mapping[str, str]) -> dict[str, list[Change]]:
    """By added insert, the windows of its twin that it has not got yet (`ADDED`), or only an older version of
    (`REPLACED`); the earliest windows first.

    `added` are the added inserts with their twins. A window of both is published by the same entry, and a filled one
    after the twin's.
    """
    if not added:
        return {}
    absent: dict[tuple[str, int | None], int] = {}

    def noting() -> Iterator[Entry | PastEntry]:
        for entry in entries:
            if isinstance(entry.body, Fill):
                absent.update(dict.fromkeys(((entry.body.insert, end) for end in entry.body.absent), entry.n))
            yield entry

    standing = [one for one in standing_at(noting()) if one.published.end is not None]
    present = {(one.published.insert, one.published.end): one.entry for one in standing}
    known = {**absent, **present}
    found: dict[str, list[Change]] = {}
    for name, twin in added.items():
        for one in standing:
            key = name, one.published.end
            if one.published.insert == twin and known.get(key, -1) < one.entry:
                found.setdefault(name, []).append(replace(one, op=REPLACED if key in present else ADDED))
    return found
