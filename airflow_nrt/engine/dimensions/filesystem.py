"""Dimension tables of files: the newest version is what the files of a directory hold now."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path

from pyspark.sql import DataFrame, Observation, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.dimensions.dimension import Dimension
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.arrivals import Arrivals
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.time.accept_or_reject import accepted, judge, metered
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import Table

MOST_BYTES = 256 * 1024**2
"""The most bytes of files, so that a directory of another kind is refused before it is read."""


class FileDimension(Dimension):
    def mark(self, spark: SparkSession, table: Table) -> tuple[SourceFile, ...]:
        try:
            # A file that waits to be readable would be missing rows.
            files = tuple(Arrivals.all_of(table))
        except InputError as wrong:
            # Who replaces a directory takes it away for a moment.
            is_there = Path(table.path.removeprefix("file://")).exists()
            way_out = "" if is_there else ": correct 'path', or make it"
            raise UnreachableError(f"table {table.name!r} can't be looked up: {wrong}{way_out}") from None
        check_size(table, files)
        return files

    def rows(self, spark: SparkSession, source: Source, mark: Hashable) -> tuple[DataFrame, Observation | None]:
        if not mark:
            return no_rows(spark, source), None
        assert isinstance(mark, tuple)
        rows = source_of(source.table).read(spark, source, ReadRequest(mark, ONE))
        judged, counts = metered(judge(rows, source, None, absorbed(None, None)))
        return accepted(judged, source), counts


def check_size(table: Table, files: Iterable[SourceFile]) -> None:
    """Raises InputError if these files of a table are too large to be looked up."""
    size = sum(file.size for file in files)
    if size > MOST_BYTES:
        raise InputError(
            f"table {table.name!r} has {size:,} bytes of files, and a table that is looked up may have {MOST_BYTES:,}: "
            "each task holds it in memory. Keep fewer rows or columns in it, or join it without FOR SYSTEM_TIME AS OF"
        )
