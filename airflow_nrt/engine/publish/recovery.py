"""Recovery after a crash: what was decided is published, what nobody refers to is removed."""

from __future__ import annotations

import logging
from collections.abc import Collection, Container
from itertools import takewhile
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.dimensions.remembered import remove_forgotten
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.engine.publish.publishing import Share, decided_places, place_of, publish_decided, publish_entry
from airflow_nrt.engine.state.store import directories_of
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Restate
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.log.fold.settled import settled_until
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.visible import is_waiting
from airflow_nrt.model.plan import Plan

ABANDONED_MS = 600_000
"""Milliseconds after which a driver publishes for a backfill. Publishing is idempotent, so both may do it."""

logger = logging.getLogger(__name__)


def roll_forward(
    spark: SparkSession,
    home: Home,
    plan: Plan,
    log: Log,
    *,
    beside_driver: bool = False,
    attempt: Attempt = at_once,
) -> frozenset[str]:
    """Publishes what entries have decided and what is not published yet: their staged files still exist.

    Gives the directories below `staged/` whose results are owed.

    A later entry's decision on the same place wins, because it may be published already. Removals leave no trace in the
    home, so those of entries that are not known to be settled are repeated. `beside_driver`: those of drivers are not,
    because a driver may be publishing the same place again.
    """
    settled = settled_until(log)
    waiting = {*home.staged.names()}
    later: set[str] = set()
    again: list[tuple[Entry, list[str], set[str]]] = []
    for entry in takewhile(lambda entry: entry.n > settled, log.backwards()):
        is_mine = not beside_driver or isinstance(entry.body, Restate)
        gone = [target for target in entry.removed if is_mine and target not in later]
        if gone or any(Path(published.staged).parts[1] in waiting for published in entry.published):
            again.append((entry, gone, later.intersection(map(place_of, entry.published))))
        later.update(decided_places(entry))
    for entry, gone, newer in reversed(again):
        publish_decided(spark, home, plan, Share(entry, gone, newer), attempt=attempt)
    decided = {Path(one.staged).parts[1] for entry, _, _ in again for one in entry.published}
    return frozenset(name for name in decided if (home.staged / name).exists())


def publish_abandoned(
    spark: SparkSession, home: Home, plan: Plan, foreign: list[Entry], attempt: Attempt = at_once
) -> bool:
    """Publishes and removes the rest of `foreign` entries that a driver has met long ago: their processes have died.

    Takes them from the list. A failure is logged and left to the next driver, so that the stream continues. Gives
    whether there was none.
    """
    done, now = True, now_ms()
    for entry in [entry for entry in foreign if entry.time < now - ABANDONED_MS]:
        foreign.remove(entry)
        if is_waiting(home, entry):
            logger.warning("publishing what the backfill that wrote entry %s has not published", entry.n)
        elif not entry.removed:
            continue
        try:
            publish_entry(spark, home, plan, entry, attempt=attempt)
        except (OSError, NrtError) as wrong:
            logger.warning("entry %s can't be published: %s", entry.n, wrong)
            done = False
    return done


def remove_orphans(home: Home, log: Log, epoch: int, referenced: Collection[str], owed: Container[str]) -> None:
    """Removes files that drivers of older epochs wrote and no entry refers to.

    `referenced` are files of state, `owed` directories of results that are still to be published.
    """
    keep = directories_of(referenced)
    for name in home.staged.names():
        if _is_older(name, epoch) and name not in owed:
            (home.staged / name).delete_all()
    for operator in home.state.below():
        for directory in operator.below():
            if _is_older(directory.name, epoch) and directory.key not in keep:
                directory.delete_all()
            elif directory.key not in referenced:
                for part in directory.below():
                    if part.key not in keep:
                        part.delete_all()
    if home.dimensions.exists():
        remove_forgotten(home, read_by(log).dimensions)
    for name in home.scratch.names():
        if _is_older(name, epoch):
            (home.scratch / name).delete_all()


def _is_older(name: str, epoch: int) -> bool:
    """Names begin with the epoch of their writer; a restatement's begin with `restate`."""
    writer = number_of(name.partition("-")[0])
    return writer is not None and writer < epoch
