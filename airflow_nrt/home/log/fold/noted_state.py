"""The state after an entry near the end of a log, so that a look at a home reads few entries.

    checkpoints/state.json

Checkpoints are far from each other, because each has a file of inputs. This is replaced, and a cache as they are.
"""

from __future__ import annotations

import logging

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.home_state import HomeState
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

STEP = 1_024
"""Entries after which it is written again."""
_FORMAT = Format("the noted state")

logger = logging.getLogger(__name__)


def noted_state(log: Log) -> HomeState | None:
    """None if there is none of this log that can be read."""
    try:
        found = read_record(_path(log), _FORMAT, HomeState)
        return found if log.first <= found.entry <= log.last and log.read(found.entry).id == found.id else None
    except FileNotFoundError:
        return None
    except HomeError as wrong:
        logger.warning("%s: the noted state is passed over", wrong)
        return None


def note_state(log: Log, state: HomeState) -> None:
    """Only for a driver with a lease."""
    try:
        _path(log).parent.make()
        _path(log).replace(record_bytes(_FORMAT, state))
    except OSError as wrong:
        logger.warning("the state after log entry %s can't be noted: %s", state.entry, wrong)


def _path(log: Log) -> StorePath:
    return log.directory.parent / "checkpoints" / "state.json"
