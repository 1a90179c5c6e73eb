"""Directories of a source that are closed: what comes into them later is not read, until a lease opens them again.

A driver closes a directory when nothing new has come into it for the time of 'source.close-directories-after' and all
of its files are read. It says so in a tick. Whatever reads the log knows by that which unread files are meant to be
unread, whatever the option says by then.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from airflow_nrt.home.log.entries import Entry, Lease, Tick
from airflow_nrt.home.log.splits import SourceFile, Split

Directories = Mapping[str, tuple[str, ...]]
"""By source."""


def closed_by(entry: Entry) -> Directories:
    return entry.body.closed if isinstance(entry.body, Tick) else {}


def reopened_by(entry: Entry) -> Directories:
    return entry.body.reopened if isinstance(entry.body, Lease) else {}


def note_closed(closed: dict[str, set[str]], entry: Entry) -> None:
    """Turns the directories that are closed before an entry, by source, into those that are closed after it."""
    for source, directories in closed_by(entry).items():
        closed.setdefault(source, set()).update(directories)
    for source, directories in reopened_by(entry).items():
        closed.get(source, set()).difference_update(directories)


def in_closed(splits: Iterable[Split], closed: Collection[str]) -> list[SourceFile]:
    """The files among these splits that lie in closed directories."""
    files = (one for one in splits if isinstance(one, SourceFile))
    return [file for file in files if os.path.dirname(file.path) in closed]
