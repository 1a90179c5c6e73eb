"""What is read next of a topic with a past: the files of the past, then records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.sources.source import SplitEnumerator
from airflow_nrt.home.log.splits import SourceFile, Split, files_of, ranges_of

log = logging.getLogger(__name__)


class PastThenTopic(SplitEnumerator):
    """The splits of a topic, and before them the files of its `past`, which are listed once.

    The topic says first where reading begins, so that nothing is lost while the past is read. What it has when the past
    is listed is found with that; the rest when the past is read.
    """

    def __init__(self, name: str, topic: SplitEnumerator, past: Callable[[], list[SourceFile]]) -> None:
        self._name = name
        self._topic = topic
        self._past: Callable[[], list[SourceFile]] | None = past
        self._left: set[str] = set()
        self._all = 0

    def poll(self) -> list[Split]:
        if self._left:
            return []
        arrived = self._topic.poll()
        if self._past is None or (arrived and all(one.is_empty for one in arrived)):
            return arrived
        files, self._past = self._past(), None
        self._left, self._all = {one.path for one in files}, len(files)
        if files:
            log.info("%s: the past is read first, %s", self._name, counted(len(files), "file"))
        return [*files, *arrived]

    def in_order(self, batch: list[Split]) -> list[Split]:
        return batch if files_of(batch) else self._topic.in_order(batch)

    def absorbed(self, splits: Iterable[Split]) -> None:
        splits = list(splits)
        self._topic.absorbed(ranges_of(splits))
        files = files_of(splits)
        if files:
            self._left.difference_update(one.path for one in files)
            share = 100 * (self._all - len(self._left)) // self._all
            log.info("%s: %s %% of the past is read, %s left", self._name, share, counted(len(self._left), "file"))

    def close(self) -> None:
        self._topic.close()
