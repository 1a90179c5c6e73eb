"""Which rows the files of archives have, by the log: of which entries they are."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.home.log.entries import ARCHIVED, COMPACTED, Entry

EntriesOf = dict[tuple[str, str], frozenset[int]]
"""The entries whose rows a file of an archive has, by insert and place."""


def note_archived(known: EntriesOf, entry: Entry) -> None:
    """Notes the files that an entry publishes and removes. A compacted file has the rows of those that it replaces."""
    replaced: Iterable[int] = ()
    gone = [(insert, place) for insert, _, place in (target.partition("/") for target in entry.removed)]
    for one in entry.published:
        if one.state == ARCHIVED:
            known[one.insert, one.target] = frozenset([entry.n])
        elif one.state == COMPACTED:
            replaced = replaced or [n for file in gone for n in known.get(file, ())]
            known[one.insert, one.target] = frozenset(replaced)
    for file in gone:
        known.pop(file, None)
