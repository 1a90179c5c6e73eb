"""The partitions of a table that an interval of windows needs."""

from __future__ import annotations

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.partition_pattern import PartitionTime
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import Table


def is_declared(table: Table) -> bool:
    """Whether the table says itself what the time of its partitions means, so that their names can be relied on."""
    return "partition.time" in table.options


def partition_time(table: Table, zone: str | None = None) -> PartitionTime | None:
    """The time that each partition covers; None if the table does not declare it.

    `zone` is that of the source, if its windows are on another clock than UTC's. Partitions may be named by either
    clock, so each counts as a day longer at both ends. Raises InputError if the declaration is incomplete.
    """
    slack = DAY if zone is not None else 0
    pattern = table.options.get("partition.time-extractor.timestamp-pattern")
    if pattern is None or not table.partition_keys:
        return None
    delay = source_option(table.options, "partition.max-delay")
    if source_option(table.options, "partition.time") == "event":
        return PartitionTime(pattern, table.partition_keys, slack=slack)
    if delay is None:
        raise InputError(
            f"table {table.name!r}: partitions by arrival need 'partition.max-delay', the longest time from a row's "
            "rowtime to its arrival"
        )
    return PartitionTime(pattern, table.partition_keys, delay, slack)
