"""The pieces of an archive that can hold rows of an interval.

The name of a partition says where rows of a time are looked for, and not that they are nowhere else. A file of another
partition is left out because it has no such row: by the log, by its own statistics, or, of a file that no stream has
read and that has none, by its rowtimes. Only where its table declares what the names mean these are not looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from airflow_nrt.basics.partition_pattern import PartitionTime
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.archive.scanned_times import SLACK, with_rows_between
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.partition_time import is_declared
from airflow_nrt.model.plan import Source

_SHOWN = 3


@dataclass(frozen=True)
class Needed:
    """`pieces` are read, `left_out` others have no such row. Of these, `trusted` are only declared to have none."""

    pieces: Sequence[Split]
    left_out: int = 0
    trusted: Sequence[Split] = ()

    def notes(self, source: Source) -> list[str]:
        """What is left out although nothing but the declaration says that it may be."""
        if not self.trusted:
            return []
        listed = ", ".join(one.name for one in self.trusted[:_SHOWN])
        listed += f" and {len(self.trusted) - _SHOWN} more" if len(self.trusted) > _SHOWN else ""
        return [
            f"table {source.table.name!r}: {counted(len(self.trusted), 'file')} of partitions of other times left out "
            f"({listed}), because it declares 'partition.time': no stream has read them, and they have no statistics "
            "of their rowtimes. Without that option these are looked at"
        ]


@dataclass(frozen=True)
class Logged:
    """What the log knows of pieces, by their names: those that a stream has read, and which of these have no row of the
    interval."""

    read: Collection[str] = frozenset()
    elsewhere: Collection[str] = frozenset()


def needed_pieces(
    spark: SparkSession,
    source: Source,
    time: PartitionTime | None,
    pieces: Sequence[Split],
    start: int,
    end: int,
    log: Logged = Logged(),
) -> Needed:
    """The pieces that can hold rows with `start <= rowtime < end` (ms), in their order. `time` is that of the
    partitions, if any."""
    table, connector = source.table, source_of(source.table)
    slack = SLACK if source.zone is not None else 0

    def lies_elsewhere(times: tuple[int, int] | None) -> bool:
        return times is not None and (times[0] - slack >= end or times[1] + slack < start)

    # A change may name a row by its key alone, without a time.
    if table.is_changelog or (time is None and table.history is None):
        return Needed(pieces)
    if time is None:
        found = [one for one in pieces if not lies_elsewhere(connector.times(table, one))]
        return Needed(found, len(pieces) - len(found))
    needed: set[str] = set()
    unknown: list[Split] = []
    for one in pieces:
        if time.may_hold(connector.partition(table, one), start, end):
            needed.add(one.name)
        elif one.name not in log.elsewhere:
            times = connector.times(table, one)
            if lies_elsewhere(times):
                continue
            if times is not None or one.name in log.read:
                needed.add(one.name)
            else:
                unknown.append(one)
    trusted = unknown if is_declared(table) else []
    if not trusted:
        needed |= with_rows_between(spark, source, unknown, start, end)
    found = [one for one in pieces if one.name in needed]
    return Needed(found, len(pieces) - len(found), trusted)
