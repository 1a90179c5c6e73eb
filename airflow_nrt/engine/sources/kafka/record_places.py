"""A record of a topic as a person names it: `0@800`, or `orders-0@800` where a table has several topics."""

from __future__ import annotations

import re

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import Table


def record_at(spark: SparkSession, table: Table, place: str) -> SkippedRow:
    """The record at a place. Raises InputError if the topics have none there."""
    named = re.fullmatch(r"(?:(.+)-)?(\d{1,9})@(\d{1,18})", place)
    if named is None:
        raise InputError(f"table {table.name!r}: {place!r} is no place of a record: write PARTITION@OFFSET, as 0@800")
    topic, number, offset = named[1], int(named[2]), int(named[3])
    client = Client(spark, table)
    try:
        there = client.partitions()
        found = [part for part in there if _is_named(part, topic, number)]
        if len(found) != 1:
            many, asked = "several partitions" if found else "no partition", place.partition("@")[0]
            raise InputError(f"table {table.name!r} has {many} {asked}: its partitions are {', '.join(there)}")
        start, end = client.starts(found)[found[0]], client.ends(found)[found[0]]
    finally:
        client.close()
    if not start <= offset < end:
        records = f"it has those from {start} to {end - 1}" if start < end else "it is empty"
        raise InputError(f"table {table.name!r}: {found[0]} has no record {offset}: {records}")
    return SkippedRow(found[0], offset)


def _is_named(part: str, topic: str | None, number: int) -> bool:
    of, _, this = part.rpartition("-")
    return int(this) == number and topic in (None, of)
