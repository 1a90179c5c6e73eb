"""The arrivals of a source, cut into batches. Batches of a source that never ends go through Structured Streaming."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.idleness import Idleness
from airflow_nrt.engine.driver.journal import Journal
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.fold.looks import NO_LOOKS, Looks
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.home.notes.unread import UnreadFiles
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import LIVE, read_option, source_option
from airflow_nrt.model.plan import Source

OnSplits = Callable[[str, list[Split], bool], None]
"""Absorbs a batch: the source, its splits, and whether the source ends with them."""

LOOK_SECONDS = 2.0
"""How often files are checked for changes after they were read."""
CLOSING_SECONDS = 60.0
"""How often it is asked which directories close."""

log = logging.getLogger(__name__)


class Feed:
    """Finds the arrivals of one source and passes them on in batches, each up to a number of bytes.

    One thread calls `poll` again and again. A batch is passed on only after the one before was absorbed, so that a slow
    driver gets larger batches. `poll` itself absorbs the batches of a bounded source; the thread of the streaming query
    absorbs those of others. `read` is what was read before, and `looks` what the driver before saw. `begins` are empty
    ranges of parts that begin there, and nowhere else.
    """

    def __init__(
        self,
        spark: SparkSession,
        source: Source,
        scratch: Path,
        read: SourceInputs,
        on_splits: OnSplits,
        looks: Looks = NO_LOOKS,
        begins: Sequence[SourceRange] = (),
    ) -> None:
        options = source.table.options
        self.source = source
        known = connector_of(source.table).options
        self.interval: int = (read_option(options, known, LIVE) if LIVE in known else None) or 0
        self.is_bounded = not connector_of(source.table).is_live(source.table)
        self._idleness = Idleness(one.part for one in read.ranges)
        self._under_way: frozenset[str] = frozenset()
        read = replace(read, ranges=(*begins, *read.ranges))
        self._enumerator = source_of(source.table).enumerator(spark, source.table, read)
        self._enumerator.resume(looks)
        self._next_closing = 0.0
        self._next_look = 0.0
        self._cap: int = source_option(options, "source.max-batch-size")
        self._on_splits = on_splits
        self._pending: deque[Split] = deque(begins)
        self._waiting = (0, 0)
        self._absorbing = (0, 0)
        self._is_absorbing = False
        self._next_poll = 0.0
        self._polled = False
        self.looked = -math.inf
        """When it began to look for arrivals the last time (s, monotonic); infinite if it never will again."""
        self._journal = None if self.is_bounded else Journal(spark, source.name, scratch / source.name, self._absorb)

    @property
    def is_drained(self) -> bool:
        """Whether all arrivals so far are absorbed, and the source was polled at least once."""
        return self._polled and not self._pending and not self._is_absorbing

    @property
    def pending(self) -> tuple[int, int]:
        """The numbers of splits and bytes that have arrived and are not absorbed."""
        absorbing = self._absorbing if self._is_absorbing else (0, 0)
        return self._waiting[0] + absorbing[0], self._waiting[1] + absorbing[1]

    @property
    def unreadable(self) -> int:
        """The number of splits that exist and can't be read."""
        return self._enumerator.unreadable

    @property
    def looks(self) -> Looks:
        """What the next driver need not look at again."""
        return self._enumerator.looks()

    @property
    def unread(self) -> Mapping[str, UnreadFiles]:
        """What came into closed directories, by directory."""
        return self._enumerator.unread

    def closable(self) -> list[str]:
        """The directories that close now: asked once in a while, when nothing waits."""
        if self.is_bounded or not self.is_drained or time.monotonic() < self._next_closing:
            return []
        self._next_closing = time.monotonic() + CLOSING_SECONDS
        return self._enumerator.closable()

    def closed(self, directories: Sequence[str]) -> None:
        """An entry has closed these directories."""
        self._enumerator.closed(directories)

    def is_idle(self, timeout: int) -> bool:
        """Whether nothing has come for so long (ms), and nothing waits."""
        return self.is_drained and self._idleness.is_idle(timeout)

    def idle_parts(self, timeout: int) -> list[str]:
        """The parts of the source from which nothing has come for so long (ms), and nothing waits."""
        waiting = {one.part for one in ranges_of(self._pending)} | self._under_way
        return self._idleness.idle_parts(timeout, waiting)

    def look_soon(self) -> None:
        """The next `poll` looks for arrivals."""
        self._next_poll = 0.0

    def poll(self) -> None:
        """Looks for arrivals if the interval has passed, and passes on the next batch if the last one is absorbed.

        Raises the failure of a batch.
        """
        if time.monotonic() >= self._next_poll and not (self.is_bounded and self._polled):
            began = math.inf if self.is_bounded else time.monotonic()
            found = self._enumerator.poll()
            self.looked = began
            # Empty splits alone say where reading begins: what is there comes with the next look.
            only_begins = bool(found) and all(one.is_empty for one in found)
            self._polled = not only_begins
            self._next_poll = time.monotonic() + (0 if only_begins else self.interval / 1000)
            if found:
                self._idleness.arrived(one.part for one in ranges_of(found))
                self._pending.extend(found)
        self._check_read_splits()
        if self._journal is not None:
            self._journal.check()
        self._waiting = _extent(self._pending)
        if self._pending and not self._is_absorbing:
            batch = self._enumerator.in_order(take_batch(self._pending, self._cap))
            self._absorbing, self._waiting = _extent(batch), _extent(self._pending)
            self._under_way = frozenset(one.part for one in ranges_of(batch) if not one.is_empty)
            self._is_absorbing = True
            if self._journal is None:
                self._absorb(batch)
            else:
                self._journal.write(batch)

    def _absorb(self, splits: list[Split]) -> None:
        is_last = self.is_bounded and self._polled and not self._pending
        self._on_splits(self.source.name, splits, is_last)
        self._enumerator.absorbed(splits)
        self._under_way = frozenset()
        self._is_absorbing = False

    def _check_read_splits(self) -> None:
        if time.monotonic() < self._next_look or self._is_absorbing:
            return
        self._next_look = time.monotonic() + LOOK_SECONDS
        for change in self._enumerator.changes():
            log.warning(
                "%s: what was added or changed is in no result. Let its writer put that into a new file, and rename it "
                "when it is whole",
                change,
            )

    def stop(self) -> None:
        self._enumerator.close()
        if self._journal is not None:
            self._journal.stop()


def take_batch(pending: deque[Split], cap: int) -> list[Split]:
    """Takes the first pending splits of one kind, up to a number of bytes; at least one.

    More bytes are cut into as few batches as possible, of about equal size: each batch looks through the state, however
    few rows it has.
    """
    waiting = sum(split.size for split in pending)
    share = waiting / max(math.ceil(waiting / cap), 1)
    batch = [pending.popleft()]
    size = batch[0].size
    while pending and size + pending[0].size <= cap and size + pending[0].size / 2 <= share:
        if type(pending[0]) is not type(batch[0]):
            # The past of a topic, and then the topic.
            break
        batch.append(pending.popleft())
        size += batch[-1].size
    return batch


def _extent(splits: Collection[Split]) -> tuple[int, int]:
    return len(splits), sum(split.size for split in splits)
