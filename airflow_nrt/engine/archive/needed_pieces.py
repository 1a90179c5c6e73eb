"""The pieces of an archive that can hold rows of an interval.

The name of a partition says where its rows are looked for, and not that they are nowhere else: a file of another
partition is left out only if it has no such row by the log, or by its own statistics. Of one about which neither knows
anything the table may declare what the name means.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.partition_pattern import PartitionTime
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.log.entries import Split
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
        more = len(self.trusted) - _SHOWN
        return [
            f"table {source.table.name!r}: {len(self.trusted)} files of partitions of other times are not read "
            f"({listed}{f' and {more} more' if more > 0 else ''}): it declares 'partition.time', no stream has read "
            "them, and they have no statistics of their rowtimes. Leave that option out to have them read"
        ]


@dataclass(frozen=True)
class Logged:
    """What the log knows of pieces, by their names: those that a stream has read, and which of these have no row of the
    interval."""

    read: Collection[str] = frozenset()
    elsewhere: Collection[str] = frozenset()


def needed_pieces(
    source: Source, time: PartitionTime | None, pieces: Sequence[Split], start: int, end: int, log: Logged = Logged()
) -> Needed:
    """The pieces that can hold rows with `start <= rowtime < end` (ms). `time` is that of the partitions, if any."""
    if time is None:
        return Needed(pieces)
    table, connector = source.table, source_of(source.table)
    # Statistics are of instants, the interval is on the clock of the windows.
    slack = DAY if source.zone is not None else 0
    needed: list[Split] = []
    trusted: list[Split] = []
    for one in pieces:
        if time.may_hold(connector.partition(table, one), start, end):
            needed.append(one)
        elif one.name not in log.elsewhere:
            times = connector.times(table, one)
            if times is not None:
                needed += [one] if times[0] - slack < end and times[1] + slack >= start else []
            elif one.name not in log.read and is_declared(table):
                trusted.append(one)
            else:
                needed.append(one)
    return Needed(needed, len(pieces) - len(needed), trusted)
