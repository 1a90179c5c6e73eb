"""What a stream has read, committed to the consumer group of its table: for those who watch a topic by its groups.

As in Flink it is no part of fault tolerance: the log says what was read. A new home may begin there, by
'scan.startup.mode' = 'group-offsets'.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.home.log.splits import SourceRange
from airflow_nrt.model.connectors.kafka_options import BOUNDED, COMMIT, COMMITTED, GROUP, kafka_option
from airflow_nrt.model.tables import Table

_EVERY_SECONDS = 5.0
_LAST_SECONDS = 2.0
"""How long the end of a driver waits for the last answer."""

log = logging.getLogger(__name__)


class GroupOffsets:
    """Commits the offsets of batches that the log has. It never waits for the answer, and fails nothing."""

    def __init__(self, client: Client, table: Table) -> None:
        self._client = client
        self._table = table
        # Where the group is the end of the topic, a commit would move that.
        commits = kafka_option(table, COMMIT) and kafka_option(table, BOUNDED) != COMMITTED
        self._group = table.options.get(GROUP) if commits else None
        self._read: dict[str, int] = {}
        self._is_behind = False
        self._under_way: Any = None
        self._next = 0.0
        self._complained = False

    def read(self, ranges: Iterable[SourceRange]) -> None:
        """These ranges are in the log."""
        self._read |= {one.part: one.end for one in ranges if not one.is_empty}
        self._is_behind = bool(self._read)

    def look(self) -> None:
        """Commits what was read since the last commit, and what that one did not reach, every few seconds."""
        if self._group is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY_SECONDS
        self._hear()
        if self._is_behind:
            self._commit(self._group)

    def close(self) -> None:
        if self._group is not None and self._is_behind:
            self._commit(self._group)
        self._hear(_LAST_SECONDS)

    def _commit(self, group: str) -> None:
        # The thread that absorbs may add to it meanwhile.
        self._is_behind = False
        try:
            self._under_way = self._client.commit(group, dict(self._read))
        except NrtError as failure:
            self._complain(failure)

    def _hear(self, seconds: float = 0.0) -> None:
        """Asks what became of the last commit, if that is known by now."""
        asked, self._under_way = self._under_way, None
        if asked is None:
            return
        try:
            self._client.outcome(asked, seconds)
        except NrtError as failure:
            self._complain(failure)

    def _complain(self, failure: NrtError) -> None:
        if not self._complained:
            log.warning(
                "%s: what is read is not committed to group %r, so that it seems to lag: %s. Nothing is lost by that, "
                "and '%s' = 'false' does without",
                self._table.name,
                self._group,
                failure,
                COMMIT,
            )
        self._complained = self._is_behind = True
