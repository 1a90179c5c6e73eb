"""Up to which entry everything is published and removed that the log has decided.

A removal leaves no trace in the home. So a driver repeats those of all entries after this one when it starts.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

_FORMAT = Format("the mark of what is settled")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settled:
    """The last settled entry, and its id: another log has another one there."""

    entry: int
    id: str


def settled_until(log: Log) -> int:
    """The last settled entry, -1 if none is known to be."""
    try:
        found = read_record(_path(log), _FORMAT, Settled)
        known = found.entry <= log.last and log.read(found.entry).id == found.id
    except (FileNotFoundError, HomeError):
        return -1
    return found.entry if known else -1


def note_settled(log: Log) -> None:
    """All entries that the log knows are settled. Only for a driver with a lease, which has settled them."""
    settled = Settled(log.last, log.read(log.last).id)
    try:
        _path(log).parent.make()
        _path(log).replace(record_bytes(_FORMAT, settled))
    except OSError as wrong:
        logger.warning("what is settled up to log entry %s can't be noted, and is done again: %s", log.last, wrong)


def _path(log: Log) -> StorePath:
    return log.directory.parent / "checkpoints" / "settled.json"
