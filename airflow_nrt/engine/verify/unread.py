"""What has arrived and was not read: it waits for the stream, or came into a directory after that was closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import SparkSession

from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.archive import is_filled_by_others
from airflow_nrt.engine.sources import not_read
from airflow_nrt.home.log.closed_directories import in_closed
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.splits import SourceFile, Split
from airflow_nrt.model.plan import Plan


@dataclass(frozen=True)
class Unread:
    """The splits that the stream is still to read, and by source the files in closed directories, which it leaves."""

    splits: tuple[Split, ...]
    closed: Mapping[str, tuple[SourceFile, ...]]

    @property
    def size(self) -> int:
        """Bytes that the stream is still to read."""
        return sum(split.size for split in self.splits)

    @property
    def notes(self) -> list[str]:
        """Why files are not read, for people."""
        return [
            f"{source}: {counted(len(files), 'file')} ({counted(sum(file.size for file in files), 'byte')}) came into "
            "directories after they were closed, and no window has them: `airflow-nrt reopen` has them read"
            for source, files in self.closed.items()
        ]


def unread_of(plan: Plan, history: History, spark: SparkSession | None) -> Unread:
    """As a history says it. `spark` may be None if no source needs a session."""
    closed = history.closed
    read = {
        one.name: replace(SourceInputs.of(history.known_splits(one.name)), closed=tuple(closed.get(one.name, ())))
        for one in plan.sources
    }
    return unread_without(plan, read, history.is_streamed, spark)


def unread_without(plan: Plan, read: Mapping[str, SourceInputs], has_begun: bool, spark: SparkSession | None) -> Unread:
    """The same, without what was `read` by source. `has_begun`: a stream has read something."""
    splits: list[Split] = []
    closed: dict[str, tuple[SourceFile, ...]] = {}
    for one in plan.sources:
        if not has_begun and is_filled_by_others(one):
            continue
        known = read.get(one.name, SourceInputs())
        found = not_read(spark, one.table, replace(known, closed=()))
        left = in_closed(found, known.closed)
        if left:
            closed[one.name] = tuple(left)
        names = {file.name for file in left}
        splits += [split for split in found if not split.is_empty and split.name not in names]
    return Unread(tuple(splits), closed)
