"""Publishing what entries have decided, in the order of the log, and rolling forward after a crash."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.dimensions.remembered import remove_forgotten
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.owing import Attempt, Owing, at_once
from airflow_nrt.engine.sampling.window_samples import sample_entry, sample_insert
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Fill, Published, Restate
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.visible import is_waiting
from airflow_nrt.model.plan import Insert, Plan

ABANDONED_MS = 600_000
"""Milliseconds after which a driver publishes for a backfill. Publishing is idempotent, so both may do it."""
Then = Callable[[Published], None]
"""Called with each file once it is visible."""

logger = logging.getLogger(__name__)


def publish_entry(
    spark: SparkSession,
    home: Home,
    plan: Plan,
    entry: Entry,
    then: Then = lambda published: None,
    attempt: Attempt = at_once,
) -> None:
    """Publishes everything that an entry has decided, except for places that a later entry decides on.

    It is idempotent.
    """
    # An entry of a driver that removes nothing is the newest one: no later entry decides on its places.
    may_be_old = bool(entry.removed) or isinstance(entry.body, (Restate, Fill))
    newer: Container[str] = _Later(home.log(), entry.n) if may_be_old else ()
    _publish(spark, home, plan, _Share(entry, entry.removed, newer), then, attempt)


def publish_owed(spark: SparkSession, home: Home, plan: Plan, owing: Owing) -> None:
    """Publishes what is owed to sinks that answer again, in the order of the log."""
    for name, entries in owing.due():
        insert = plan.insert(name)
        try:
            sink_of(insert).check(spark, home, insert)
        except UnreachableError as gone:
            owing.hold(insert, gone, entries)
            continue
        for entry in entries:
            newer = _Later(home.log(), entry.n)
            _publish(spark, home, plan, _Share(entry, entry.removed, newer, name), attempt=owing.attempt)
        owing.settled(insert)


class _Later:
    """The places that entries after the entry `n` decide on, including entries that are appended meanwhile."""

    def __init__(self, log: Log, n: int) -> None:
        self._log = log
        self._read = n
        self._places: set[str] = set()

    def __contains__(self, place: object) -> bool:
        for entry in self._log.entries(self._read + 1, self._log.refresh()):
            self._places.update(_decided(entry))
            self._read = entry.n
        return place in self._places


@dataclass(frozen=True)
class _Share:
    """What is published of an entry: its results, and the removal of the places `gone`, except for the places `newer`,
    on which later entries decide. All inserts, or `only` this one.
    """

    entry: Entry
    gone: Iterable[str]
    newer: Container[str]
    only: str | None = None

    @property
    def decided(self) -> list[Published]:
        return [one for one in self.entry.published if self.only in (None, one.insert)]

    def removed(self) -> Iterator[tuple[str, str]]:
        """The insert and the path of each place that goes. Asked one by one, because a later entry may come."""
        for target in self.gone:
            name, _, path = target.partition("/")
            if self.only in (None, name) and target not in self.newer:
                yield name, path


def _publish(
    spark: SparkSession,
    home: Home,
    plan: Plan,
    share: _Share,
    then: Then = lambda published: None,
    attempt: Attempt = at_once,
) -> None:
    reach("publish-before")
    entry, decided = share.entry, share.decided
    owed: set[str] = set()
    for insert, together in _visible_together(plan, decided):
        sink, files = sink_of(insert), together
        if not sink.publishes_entries:
            # Asked as late as possible, because a later entry may come meanwhile. Printed rows have no place.
            files = [one for one in together if not one.target or _place(one) not in share.newer]
        if not files:
            continue
        if not attempt(insert, entry, partial(sink.publish, spark, home, insert, entry, files)):
            owed.add(insert.name)
            continue
        reach("publish-visible")
        for published in files:
            then(published)
        if sink.publishes_entries:
            sample_insert(home, insert, entry)
            # Else they would be published again, as long as another sink of the entry is away.
            _remove_staged(home, files)
        reach("publish-between")
    for name, path in share.removed():
        insert = plan.insert(name)
        attempt(insert, entry, partial(sink_of(insert).remove, spark, home, insert, entry, path))
    _remove_staged(home, [one for one in decided if one.insert not in owed])
    if share.only is None:
        # After publishing, because readers of the sinks wait for that.
        sample_entry(home, plan, entry)
    reach("publish-after")


def _remove_staged(home: Home, files: Iterable[Published]) -> None:
    for directory in {Path(published.staged).parts[1] for published in files}:
        shutil.rmtree(home.staged / directory, ignore_errors=True)


def _visible_together(plan: Plan, decided: Iterable[Published]) -> Iterator[tuple[Insert, list[Published]]]:
    """The files in their order; where a sink publishes whole entries, all of an insert with the first."""
    files = sorted(decided, key=lambda one: (one.end or 0, one.insert))
    done: set[str] = set()
    for published in files:
        insert = plan.insert(published.insert)
        if not sink_of(insert).publishes_entries:
            yield insert, [published]
        elif insert.name not in done:
            done.add(insert.name)
            yield insert, [one for one in files if one.insert == insert.name]


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
    home, so they are repeated. `beside_driver`: those of drivers are not, because a driver may be publishing the same
    place again.
    """
    waiting = {path.name for path in home.staged.iterdir()} if home.staged.exists() else set()
    later: set[str] = set()
    again: list[tuple[Entry, list[str], set[str]]] = []
    for entry in log.backwards():
        is_mine = not beside_driver or isinstance(entry.body, Restate)
        gone = [target for target in entry.removed if is_mine and target not in later]
        if gone or any(Path(published.staged).parts[1] in waiting for published in entry.published):
            again.append((entry, gone, later.intersection(map(_place, entry.published))))
        later.update(_decided(entry))
    for entry, gone, newer in reversed(again):
        _publish(spark, home, plan, _Share(entry, gone, newer), attempt=attempt)
    decided = {Path(one.staged).parts[1] for entry, _, _ in again for one in entry.published}
    return frozenset(name for name in decided if (home.staged / name).exists())


def publish_abandoned(
    spark: SparkSession, home: Home, plan: Plan, foreign: list[Entry], attempt: Attempt = at_once
) -> None:
    """Publishes the rest of `foreign` entries that a driver has met long ago: their processes have died.

    Removes them from the list. A failure is logged and left to the next driver, so that the stream continues.
    """
    now = now_ms()
    for entry in [entry for entry in foreign if entry.time < now - ABANDONED_MS]:
        foreign.remove(entry)
        if not is_waiting(home, entry):
            continue
        logger.warning("publishing what the backfill that wrote entry %s has not published", entry.n)
        try:
            publish_entry(spark, home, plan, entry, attempt=attempt)
        except (OSError, NrtError) as wrong:
            logger.warning("entry %s can't be published: %s", entry.n, wrong)


def _decided(entry: Entry) -> Iterator[str]:
    """The places that an entry publishes or removes."""
    yield from map(_place, entry.published)
    yield from entry.removed


def _place(published: Published) -> str:
    return f"{published.insert}/{published.target}"


def remove_orphans(home: Home, log: Log, epoch: int, referenced: Iterable[str], owed: Container[str]) -> None:
    """Removes files that drivers of older epochs wrote and no entry refers to.

    `referenced` are files of state, `owed` directories of results that are still to be published.
    """
    keep = set(referenced)
    for directory in home.staged.iterdir():
        if _is_older(directory.name, epoch) and directory.name not in owed:
            shutil.rmtree(directory, ignore_errors=True)
    for operator in home.state.iterdir():
        for directory in operator.iterdir():
            if _is_older(directory.name, epoch) and str(directory.relative_to(home.path)) not in keep:
                shutil.rmtree(directory, ignore_errors=True)
    remove_forgotten(home, (version for entry in log.entries() for version in entry.dimensions.values()))
    for directory in home.scratch.iterdir():
        if _is_older(directory.name, epoch):
            shutil.rmtree(directory, ignore_errors=True)


def _is_older(name: str, epoch: int) -> bool:
    """Names begin with the epoch of their writer; a restatement's begin with `restate`."""
    writer = number_of(name.partition("-")[0])
    return writer is not None and writer < epoch
