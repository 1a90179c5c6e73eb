"""The files of the past of a topic, in the order in which they are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.engine.sources.source import Source
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.partition_time import is_declared, partition_time
from airflow_nrt.model.tables import History, Table

LeastTime = Callable[[SourceFile], float]
"""The least time (ms) that a row of a file can have, as far as that is known without its rows."""


def in_order_of_time(files: Iterable[SourceFile], until: int, least_time: LeastTime) -> list[SourceFile]:
    """Those of the files that can have rows before the end of the past, each with the time before which all rows are
    read then.

    Files of which nothing is known come first: no window is complete before they are read.
    """
    least = {one: least_time(one) for one in files}
    needed = sorted((one for one in least if least[one] < until), key=lambda one: (least[one], one.path))
    found, left = [], float(until)
    for one in reversed(needed):
        found.append(replace(one, until=BEFORE_TIME if math.isinf(left) else int(left)))
        left = least[one]
    return found[::-1]


def least_time_known(topic: Table, history: History, connector: Source) -> LeastTime:
    """By the statistics of a file, or by its partition, if the table declares what the names of partitions mean."""
    table = timed(topic, history)
    partitions = partition_time(table, history.zone) if is_declared(table) else None

    def least_time(file: SourceFile) -> float:
        known = connector.times(table, file)
        if known is not None:
            return known[0]
        values = connector.partition(table, file)
        if partitions is None or not partitions.is_of_time(values):
            return -math.inf
        return partitions.time_of(values) - partitions.slack - (partitions.max_delay or 0)

    return least_time


def timed(topic: Table, history: History) -> Table:
    """The table of the past with the rowtime of the topic, if that is a column there. One that is computed may have the
    name of another one."""
    mark = topic.watermark
    column = None if mark is None else topic.column(mark.column)
    is_there = column is not None and (not column.is_computed or column.metadata is not None)
    return replace(history.table, watermark=mark if is_there else None)
