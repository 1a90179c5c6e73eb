"""Records that a batch has read, and that are not in their topic any more: Kafka compacts some topics.

Offsets have gaps then, also without a compaction (marks of transactions). So the rows of each batch are counted.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.archive.source_archive import ENTRY, ArchivedRows
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.rejections import rejected_rows
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.plan import Source

_SHOWN = 5
"""Entries that are named."""


def without_lost_batches(read: ArchivedRows, kept: DataFrame, source: Source, history: History) -> ArchivedRows:
    """What was read, where batches whose rows are not all there are `partial`, and it is `lacking` if there are some.

    `kept` are its accepted rows, which are cached with this.
    """
    if not source_of(source.table).may_lose_records or not read.whole:
        return read
    here = {split.name for split in read.whole}
    found = {row[ENTRY]: row["count"] for row in kept.groupBy(F.col(ENTRY)).count().collect()}
    lost = {
        n: (counted - found.get(n, 0), counted)
        for n, commit in history.batches.items()
        for counted in [_accepted(commit)]
        if commit.source == source.name
        and found.get(n, 0) < counted
        and all(split.corrupt or split.name in here for split in commit.splits)
    }
    if not lost:
        return read
    return replace(
        read,
        whole=_of_others(read, history, lost),
        partial=read.partial | lost.keys(),
        problems=(*read.problems, _problem(source, lost)),
        lacking=True,
    )


def _accepted(commit: Commit) -> int:
    """The rows of a batch that were not rejected. A malformed field rejects none."""
    return commit.rows - rejected_rows(commit.rejected)


def _of_others(read: ArchivedRows, history: History, lost: Collection[int]) -> tuple[Split, ...]:
    gone = {split.name for n in lost for split in history.batches[n].splits}
    return tuple(split for split in read.whole if split.name not in gone)


def _problem(source: Source, lost: dict[int, tuple[int, int]]) -> str:
    named = ", ".join(f"{gone} of {rows} of log entry {n}" for n, (gone, rows) in list(lost.items())[:_SHOWN])
    more = f", and of {len(lost) - _SHOWN} more entries" if len(lost) > _SHOWN else ""
    return (
        f"source {source.name}: Kafka has compacted records that were read ({named}{more}): nothing proves their "
        "windows any more. 'archive' keeps what the stream has read"
    )
