"""What a driver saw of the directories of its sources, so that the next one does not list them again.

    checkpoints/looks.json

A cache: where it is lacking, or of another log, directories are listed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

_FORMAT = Format("what was seen of directories")
_MOST_BYTES = 1 << 30

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Look:
    """A directory as it was when it was listed, and everything in it read by then.

    `inode` identifies it, `modified` is its own time. At `since` it was first seen so, and at `listed` it was listed
    last (all three ns). `directories` and `links` are the names of those in it.
    """

    inode: str
    modified: int
    since: int
    listed: int
    directories: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def is_of(self, found: os.stat_result) -> bool:
        """Whether the directory is still as it was."""
        return self.modified == found.st_mtime_ns and self.inode == inode_text(found)


Looks = Mapping[str, Look]
"""By directory."""
NO_LOOKS: Looks = {}


def inode_text(found: os.stat_result) -> str:
    return f"{found.st_dev}:{found.st_ino}"


@dataclass(frozen=True)
class _Noted:
    """The looks by source, and the last entry by then: another log has another one there."""

    entry: int
    id: str
    sources: Mapping[str, Looks]


def looks_of(log: Log) -> Mapping[str, Looks]:
    """The newest looks, by source."""
    try:
        found = read_record(_path(log), _FORMAT, _Noted, _MOST_BYTES)
        known = found.entry <= log.last and log.read(found.entry).id == found.id
    except FileNotFoundError:
        return {}
    except HomeError as wrong:
        logger.warning("%s: all directories are listed instead", wrong)
        return {}
    return found.sources if known else {}


def note_looks(log: Log, sources: Mapping[str, Looks]) -> None:
    """Only for a driver with a lease, whose log has read all that it saw."""
    noted = _Noted(log.last, log.read(log.last).id, sources)
    try:
        _path(log).parent.make()
        _path(log).replace(record_bytes(_FORMAT, noted))
    except (OSError, ValueError) as wrong:
        logger.warning("what was seen of directories can't be noted, so that they are listed again: %s", wrong)


def _path(log: Log) -> StorePath:
    return log.directory.parent / "checkpoints" / "looks.json"
