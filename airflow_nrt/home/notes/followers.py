"""Who follows the log of a home from an entry on: `notes/followers/`, a file each. Retention waits for them.

A follower writes its note again as it goes on. One that is not seen for long does not count any more.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

_OFTEN_MS = 60_000
"""Milliseconds after which a note that says nothing new is written again."""
_MOST_BYTES = 16 * 1024
_FORMAT = Format("the follower of a log")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Follower:
    """`name` says who it is, for people. It needs the entries from `entry` on, and was last `seen` at a time (ms)."""

    name: str
    entry: int
    seen: int


def note_follower(home: Home, name: str, entry: int) -> None:
    """Notes that somebody needs the entries from this one on. Where the home can't be written, nobody waits for it."""
    now, path = now_ms(), _file(home, name)
    if not home.root.exists():
        return
    with suppress(OSError, HomeError):
        known = _read(path)
        if known.entry == entry and known.seen > now - _OFTEN_MS:
            return
    try:
        path.parent.make()
        path.replace(record_bytes(_FORMAT, Follower(name, entry, now)))
    except OSError as wrong:
        logger.warning("%s does not know that %s needs its log from entry %s on: %s", home.path, name, entry, wrong)


@contextmanager
def following(home: Home, what: str) -> Iterator[None]:
    """While this lasts, no entry of the home is removed: `what` reads the log, and what it names, more than once."""
    name = f"{what} {uuid.uuid4().hex}"
    note_follower(home, name, 0)
    try:
        yield
    finally:
        with suppress(OSError):
            _file(home, name).delete()


def followers_of(home: Home, expire: int) -> list[Follower]:
    """Those that were seen within so many milliseconds, by name; notes of others are removed.

    Raises HomeError for a note that can't be read: nobody knows what it needs.
    """
    found = []
    for path in home.followers.below(".json"):
        with suppress(FileNotFoundError):
            one = _read(path)
            if one.seen > now_ms() - expire:
                found.append(one)
            else:
                path.delete()
    return sorted(found, key=lambda one: one.name)


def _read(path: StorePath) -> Follower:
    return read_record(path, _FORMAT, Follower, _MOST_BYTES)


def _file(home: Home, name: str) -> StorePath:
    return home.followers / f"{blake2b(name.encode(), digest_size=16).hexdigest()}.json"
