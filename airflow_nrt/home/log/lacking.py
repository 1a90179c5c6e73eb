"""The windows that tables lack which were added to a report, and which the tables of their twins have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from airflow_nrt.home.log.entries import Entry, Fill
from airflow_nrt.home.log.sink_history import Change, standing_at


def lacking(entries: Iterable[Entry], added: Mapping[str, str]) -> dict[str, list[Change]]:
    """By added insert, the windows of its twin that it has not got yet, or only an older version of; the oldest first.

    `added` are the added inserts with their twins. A window of both is published by the same entry, and a filled one
    after the twin's.
    """
    absent: dict[tuple[str, int | None], int] = {}

    def noting(all_entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in all_entries:
            if isinstance(entry.body, Fill):
                absent.update(dict.fromkeys(((entry.body.insert, end) for end in entry.body.absent), entry.n))
            yield entry

    if not added:
        return {}
    standing = [one for one in standing_at(noting(entries)) if one.published.end is not None]
    known = {**absent, **{(one.published.insert, one.published.end): one.entry for one in standing}}
    found = {
        name: [
            one
            for one in standing
            if one.published.insert == twin and known.get((name, one.published.end), -1) < one.entry
        ]
        for name, twin in added.items()
    }
    return {name: windows for name, windows in found.items() if windows}
