"""The rows of a batch from the files that it has just staged for the archive.

Windows read them in place of the source: a file of few columns is read faster than a cache of all of them is filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.ranges import OFFSET, PART, placed
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.splits import SourceFile, Split, ranges_of
from airflow_nrt.model import archive
from airflow_nrt.model.plan import Source


def as_staged(source: Source) -> Source:
    """The source as these files have it: without the partition keys, which the windows do not read."""
    whole = archive.as_archived(source)
    columns = (*source.columns, archive.PARTITION, archive.OFFSET)
    return replace(whole, table=replace(whole.table, partition_keys=()), columns=columns)


def staged_rows(
    spark: SparkSession,
    source: Source,
    home: Home,
    staged: Sequence[Published],
    splits: Sequence[Split],
    numbers: Mapping[str, int] | None,
    tasks: Tasks,
) -> DataFrame:
    """The rows of these splits in the files staged for them, with the columns of `as_staged` and those of a place."""
    paths = [home.directory / one.staged for one in staged]
    files = [SourceFile(str(path), path.stat().st_size, 0) for path in paths]
    rows = read_files(spark, as_staged(source), ReadRequest(files, tasks)).drop(FILE, NUMBER, BLOCK, INDEX)
    located = rows.withColumnsRenamed({archive.PARTITION: PART, archive.OFFSET: OFFSET})
    return placed(located, ranges_of(splits), numbers or {}, f"CAST(substring_index({PART}, '-', -1) AS INT)")
