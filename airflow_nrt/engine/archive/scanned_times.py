"""Files that have rows of an interval, found by reading their rowtimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import SparkSession

from airflow_nrt.basics.durations import DAY
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.place import FILE
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import tune_for
from airflow_nrt.engine.time.accept_or_reject import judge
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.internal_columns import ROWTIME
from airflow_nrt.model.plan import Source

SLACK = DAY
"""How far (ms) the clock of windows can be from UTC, in either direction."""


def with_rows_between(
    spark: SparkSession, source: Source, pieces: Sequence[Split], start: int, end: int
) -> frozenset[str]:
    """The names of those pieces that have a row with `start <= rowtime < end` (ms). A line without a rowtime is none:
    what is wrong with it is said where it is read."""
    mark = source.table.watermark
    if not pieces or mark is None:
        return frozenset(one.name for one in pieces)
    connector = source_of(source.table)
    narrow = replace(source, columns=(mark.column,))
    rows = connector.read(spark, narrow, ReadRequest(pieces, tune_for(spark, pieces)))
    timed = judge(rows, narrow, None, absorbed(now_ms(), None))
    slack = SLACK if source.zone is not None else 0
    inside = timed.where(f"{ROWTIME} >= {start - slack}L AND {ROWTIME} < {end + slack}L")
    found = {row[0] for row in inside.select(FILE).distinct().collect()}
    return frozenset(one.name for one in pieces if found.intersection(connector.spellings(one)))
