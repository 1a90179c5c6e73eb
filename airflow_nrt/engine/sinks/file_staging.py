"""Staging results as files: one file for a window, for a partition of an update table, or for a batch."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import uuid
from pathlib import Path
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.partition_pattern import NO_VALUE
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, as_spark_time, with_times
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sinks.change_lines import change_lines
from airflow_nrt.engine.sinks.changelog import ORDER
from airflow_nrt.engine.sinks.ordered import ordered
from airflow_nrt.engine.sinks.partition_names import named_by, with_partition_names
from airflow_nrt.engine.sinks.window_names import compact
from airflow_nrt.engine.spark.footers import read_footer
from airflow_nrt.files.checksum import checksum_of
from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.archive import OFFSET
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.options.csv_rows import csv_rows
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Column, Table

_FIRST_OF_SPARK = re.compile(r"part-0+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[.-]c0+\.")
"""The name of the first file that the first task of a job writes into a directory; the job has a random number."""


def root_of(insert: Insert) -> Path:
    return Path(insert.sink.path.removeprefix("file://")).absolute()


def partition_sql(table: Table) -> str:
    """SQL of a row's partition, as a text that is equal where the directory is equal.

    >>> from airflow_nrt.basics.types import DataType
    >>> day = Column("day", DataType("DATE"))
    >>> print(partition_sql(Table("days", (day,), "filesystem", partition_keys=("day",), options={"format": "json"})))
    to_json(array(coalesce(nullif(CAST(`day` AS STRING), ''), '__HIVE_DEFAULT_PARTITION__')))
    """
    columns = map(table.column, table.partition_keys)
    texts = (f"CAST({named_by(table, column, spelled(table, column))} AS STRING)" for column in columns)
    # The empty text can't name a directory.
    values = (f"coalesce(nullif({text}, ''), {string_literal(NO_VALUE)})" for text in texts)
    return f"to_json(array({', '.join(values)}))" if table.partition_keys else "'[]'"


def file_of(spark: SparkSession, insert: Insert, partition: str) -> str:
    """The file of a partition of an update table. `partition` is a value of `partition_sql`."""
    utils = java_class(spark.sparkContext._jvm, "org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils")
    named = zip(insert.sink.partition_keys, json.loads(partition))
    return "/".join([*(utils.getPartitionPathString(*one) for one in named), _file_name(insert)])


def _file_name(insert: Insert) -> str:
    return f"{insert.name}.{insert.sink.suffix}"


def stage(frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> list[Published]:
    """Writes the rows below `directory`, one file a window. An update table has a file also without rows."""
    table, windowed = insert.sink, bool(insert.operators)
    by = [*table.partition_keys, *([WINDOW_END] if windowed else [])]
    if windowed:
        # By the window alone, so that one task writes all rows of a window, into one file.
        frame = frame.repartition(tasks, WINDOW_END) if tasks > 1 and not _moves(insert) else frame.coalesce(1)
    elif insert.replaces_table:
        frame = (
            frame.coalesce(1)
            if tasks == 1 or not table.partition_keys
            else frame.repartition(F.expr(partition_sql(table)))
        )
    frame = with_partition_names(frame, table)
    parts = [spelled(table, table.column(name)) for name in table.partition_keys]
    frame = ordered(frame, insert, [*parts, *([WINDOW_END] if windowed else [])])
    if table.change_format is not None:
        lines = change_lines(_as_written(_ordered(frame, by), table), insert, table.change_format)
        writer, kind = lines.write, "text"
    else:
        writer, kind = _as_written(frame, table).write, table.format
    if table.format == "parquet":
        codec = sink_option(table.options, "parquet.compression")
        writer = writer.option("compression", {"lz4": "lz4_raw", "none": "uncompressed"}.get(codec, codec))
        # No two records of an archive have the same offset.
        writer = writer.option(f"parquet.enable.dictionary#{OFFSET}", "false")
    elif table.format == "csv":
        null = sink_option(table.options, "csv.null-literal")
        mark = sink_option(table.options, "csv.quote-character")
        separator = sink_option(table.options, "csv.field-delimiter")
        writer = writer.options(sep=separator, quote=mark, escape=mark, nullValue=null or "", emptyValue=mark * 2)
        # By default Spark would strip blanks from texts.
        writer = writer.options(ignoreLeadingWhiteSpace=False, ignoreTrailingWhiteSpace=False)
    elif table.format == "json":
        writer = writer.option("ignoreNullFields", sink_option(table.options, "json.encode.ignore-null-fields"))
    path = directory / insert.name
    writer.format(kind).partitionBy(*by).save(str(path))
    found = []
    for file in sorted(path.rglob(f"part-*.{'txt' if kind == 'text' else table.format}")):
        staged = _staged(insert, directory, path, file, state)
        # A table without a row has a file, a partition has none.
        if staged.rows or (insert.replaces_table and not table.partition_keys):
            found.append(staged)
    if not found:
        # It will not be published, so it is removed here. Another insert may have written into the same directory.
        shutil.rmtree(path)
        with contextlib.suppress(OSError):
            directory.rmdir()
    return found


def _moves(insert: Insert) -> bool:
    """Whether a row can move from one window to a later one. Then the file of the first window must be the older."""
    return insert.emits_changes and insert.window is not None and not insert.window.ends_on_grid


def _ordered(frame: DataFrame, by: list[str]) -> DataFrame:
    """Changes in the order in which they are emitted. `by` are the columns by which rows are split into files."""
    if OP not in frame.columns:
        return frame
    return frame.sortWithinPartitions(*map(F.col, by), *(F.expr(one) for one in ORDER))


def _as_written(frame: DataFrame, table: Table) -> DataFrame:
    """The rows as they are written: text formats have Flink's times, csv Flink's bytes, Parquet Spark's times."""
    if table.format == "parquet":
        timed = [column for column in table.physical if column.type.holds("TIME")]
        return frame.withColumns({column.name: F.expr(spelled(table, column)) for column in timed})
    columns = (f"{spelled(table, column)} AS {quote(column.name)}" for column in table.physical)
    return frame.selectExpr(*columns, *(name for name in (WINDOW_END, OP) if name in frame.columns))


def spelled(table: Table, column: Column, prefix: str = "") -> str:
    """SQL of a column in its format's spelling. `prefix` is what its name begins with in the rows.

    >>> from airflow_nrt.basics.types import DataType
    >>> at = Column("ts", DataType("TIMESTAMP", precision=3))
    >>> print(spelled(Table("rows", (at,), "filesystem", options={"format": "json"}), at))
    date_format(`ts`, "yyyy-MM-dd HH:mm:ss.SSS")
    """
    name = quote(prefix + column.name)
    if column.type.holds("TIME"):
        return with_times(name, column.type, as_spark_time if table.format == "parquet" else as_field)
    if table.format == "csv" and column.type.is_bytes:
        return f"base64({name})"
    if table.format == "parquet" or not column.type.is_timestamp:
        return name
    standard = f"{table.format}.timestamp-format.standard"
    between = "'T'" if table.options.get(standard, "").lower() == "iso-8601" else " "
    fraction = "." + "S" * column.type.precision if column.type.precision else ""
    zone = "'Z'" if column.type.name == "TIMESTAMP_LTZ" else ""
    return f'date_format({name}, "yyyy-MM-dd{between}HH:mm:ss{fraction}{zone}")'


def _staged(insert: Insert, directory: Path, path: Path, file: Path, state: str) -> Published:
    parts = list(file.parent.relative_to(path).parts)
    start = end = None
    if insert.operators:
        end = int(unquote(parts.pop().partition("=")[2]))
        start = insert.window.start(end) if insert.window is not None else None
        name = f"{insert.name}-{compact(start)}-{compact(end)}"
        by_bits = insert.window is not None and not insert.window.ends_on_grid and insert.timing.publishes_once
        if by_bits or insert.emits_changes:
            # The windows of one slot can become complete one by one, and changes don't replace the file they change.
            name += f"-{_own_name(file)}"
    else:
        name = f"{insert.name}-{_own_name(file)}"
    target = "/".join([*parts, _file_name(insert) if insert.replaces_table else f"{name}.{insert.sink.suffix}"])
    checksum = checksum_of(file)
    rows = _row_count(insert.sink, file)
    home = directory.parent.parent
    is_changelog = bool(insert.operators) and insert.emits_changes
    return Published(insert.name, start, end, state, rows, checksum, str(file.relative_to(home)), target, is_changelog)


def _own_name(file: Path) -> str:
    """What no other file of a sink is called: the number of Spark's job for the first file in a directory.

    >>> print(_own_name(Path("part-00000-85b1e10e-84a4-4c51-9be5-b279da8cbd43-c000.csv")))
    85b1e10e84a44c519be5b279da8cbd43
    """
    found = _FIRST_OF_SPARK.match(file.name)
    # An entry names both files, and its log has such a number once (`home/log/packing.py`).
    return uuid.uuid4().hex if found is None else found[1].replace("-", "")


def _row_count(table: Table, file: Path) -> int:
    if table.format == "parquet":
        return read_footer([file]).rows
    if table.suffix == "json":
        return file.read_bytes().count(b"\n")
    return sum(1 for _ in csv_rows(file, table.options))
