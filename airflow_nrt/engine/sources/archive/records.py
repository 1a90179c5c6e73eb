"""The rows of ranges of topics, from the files of an archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import SurroundingsError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT, STRING
from airflow_nrt.engine.sources.archive.content import ArchiveContent, opened
from airflow_nrt.engine.sources.archive.readable_files import readable_files
from airflow_nrt.engine.sources.archive.stored_columns import columns_by_key, reader_columns
from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.kafka.records import no_records
from airflow_nrt.engine.sources.malformed import FAULT, WHY
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.ranges import OFFSET, PART, in_ranges
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.splits import ArchivedElsewhere, SourceFile, SourceRange
from airflow_nrt.model import archive
from airflow_nrt.model.connectors.kafka import Kafka
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import LINE, Column


def read_archived(
    spark: SparkSession, source: Source, ranges: Sequence[SourceRange], tasks: Tasks, numbers: Mapping[str, int]
) -> DataFrame:
    """The rows of these ranges, with the columns of `Source.read`, and those that METADATA columns read.

    Raises SurroundingsError if a file with some of them is gone, or was altered.
    """
    content = opened(archive_of(ranges))
    files, problems = files_of(content, ranges)
    if problems:
        raise SurroundingsError(f"table {source.name!r}: {problems[0]}")
    if not files:
        return no_records(spark, source)
    keys = {key for name in source.columns if (key := source.table.column(name).metadata) is not None}
    stored = {key: name for key, name in columns_by_key(content.outline).items() if key in keys}
    rows = read_files(spark, _in_files(source, content, stored), ReadRequest(files, tasks))
    placed = rows.drop(FILE, NUMBER, BLOCK, INDEX).withColumnsRenamed({archive.PARTITION: PART, archive.OFFSET: OFFSET})
    physical = (quote(name) for name in source.physical)
    hidden = (LINE, FAULT, WHY, FILE, NUMBER, BLOCK, INDEX)
    return in_ranges(placed, ranges, numbers).selectExpr(*physical, *hidden, *reader_columns(keys, stored))


def archive_of(ranges: Sequence[SourceRange]) -> ArchivedElsewhere:
    """The archive that these ranges are in: a home begins with one."""
    found = ranges[0].archive
    assert found is not None
    return found


def files_of(content: ArchiveContent, ranges: Sequence[SourceRange]) -> tuple[list[SourceFile], list[str]]:
    """The files with rows of these ranges that can be read, and messages about the others."""
    written = {content.path(one): one.rows for one in content.files_of(ranges, archive_of(ranges).since)}
    usable, problems = readable_files(written.items())
    return [SourceFile(str(path), path.stat().st_size, 0) for path in usable], problems


def _in_files(source: Source, content: ArchiveContent, stored: Mapping[str, str]) -> Source:
    """The source as files of the archive have it: physical columns, METADATA that are `stored`, places of records."""
    table = source.table
    columns = [column for column in table.physical if column.name in source.physical]
    columns += [Column(name, Kafka.metadata[key].type) for key, name in stored.items()]
    columns += [Column(archive.PARTITION, STRING), Column(archive.OFFSET, BIGINT)]
    files = replace(
        table,
        columns=tuple(columns),
        connector="filesystem",
        watermark=None,
        primary_key=(),
        options={"connector": "filesystem", "path": content.outline.directory, "format": "parquet"},
    )
    return Source(files, tuple(column.name for column in columns))
