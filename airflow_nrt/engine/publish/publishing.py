"""Publishing what entries have decided, in the order of the log."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.failures.servers import AWAY
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.claiming import claim
from airflow_nrt.engine.publish.owing import Attempt, Owing, at_once
from airflow_nrt.engine.sampling.window_samples import sample_entry, sample_insert
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Fill, Published, Restate
from airflow_nrt.home.log.log import Log
from airflow_nrt.model.plan import Insert, Plan

Then = Callable[[Published], None]
"""Called with each file once it is visible."""


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
    publish_decided(spark, home, plan, Share(entry, entry.removed, newer), then, attempt)


def publish_owed(spark: SparkSession, home: Home, plan: Plan, owing: Owing) -> None:
    """Publishes what is owed to sinks that answer again, in the order of the log."""
    for name, entries in owing.due():
        insert = plan.insert(name)
        try:
            claim(spark, home, insert)
        except AWAY as gone:
            owing.hold(insert, gone, entries)
            continue
        for entry in entries:
            newer = _Later(home.log(), entry.n)
            publish_decided(spark, home, plan, Share(entry, entry.removed, newer, name), attempt=owing.attempt)
        owing.settled(insert)


class _Later:
    """The places that entries after the entry `n` decide on, including entries that are appended meanwhile."""

    def __init__(self, log: Log, n: int) -> None:
        self._log = log
        self._read = n
        self._places: set[str] = set()

    def __contains__(self, place: object) -> bool:
        for entry in self._log.entries(self._read + 1, self._log.refresh()):
            self._places.update(decided_places(entry))
            self._read = entry.n
        return place in self._places


@dataclass(frozen=True)
class Share:
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


def publish_decided(
    spark: SparkSession,
    home: Home,
    plan: Plan,
    share: Share,
    then: Then = lambda published: None,
    attempt: Attempt = at_once,
) -> None:
    reach("publish-before")
    # A table of rejected rows that the report had before keeps its share staged, until the report has it again.
    entry, known = share.entry, {insert.name for insert in plan.written}
    decided = [one for one in share.decided if one.insert in known]
    owed: set[str] = set()
    for insert, together in _visible_together(plan, decided):
        sink, files = sink_of(insert), together
        if not sink.publishes_entries:
            # Asked as late as possible, because a later entry may come meanwhile. Printed rows have no place.
            files = [one for one in together if not one.target or place_of(one) not in share.newer]
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
        (home.staged / directory).delete_all()


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


def decided_places(entry: Entry) -> Iterator[str]:
    """The places that an entry publishes or removes."""
    yield from map(place_of, entry.published)
    yield from entry.removed


def place_of(published: Published) -> str:
    return f"{published.insert}/{published.target}"
