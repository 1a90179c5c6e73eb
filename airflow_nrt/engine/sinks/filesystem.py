"""A directory of files, exactly once for any reader.

A file holds one whole window of one insert (or the rows of one batch where nothing is windowed, or what fired together
of one slot, where windows have no grid; or a partition of a table of rows that change). It is written below the home,
and becomes visible by one rename; a restatement or a newer version replaces it by one overwriting rename. So a reader
sees whole windows at any time, and a rename that comes late finds its file gone and changes nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import uuid
from pathlib import Path
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, as_spark_time, with_times
from airflow_nrt.engine.sinks.changelog import ORDER
from airflow_nrt.engine.sinks.debezium import debezium_lines
from airflow_nrt.engine.sinks.ordered import ordered
from airflow_nrt.engine.sinks.partition_names import named_by, with_partition_names
from airflow_nrt.engine.spark.tuning import is_small
from airflow_nrt.engine.state.footers import read_footer
from airflow_nrt.files.durable import put_if_absent
from airflow_nrt.files.private_files import read_regular
from airflow_nrt.files.public_files import PUBLIC
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.options.csv_rows import csv_rows
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Column, Table

OWNER = ".nrt-owner"
"""Names the home that publishes into a directory. Readers pass it over: it begins with a dot and has no suffix."""
_MOST_BYTES_OF_ID = 64
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The partition of NULL."""


def root_of(insert: Insert) -> Path:
    return Path(insert.sink.path.removeprefix("file://")).absolute()


def partition_sql(table: Table) -> str:
    """SQL over a table's rows: their partition, as a text that is equal where the directory is."""
    columns = map(table.column, table.partition_keys)
    texts = (f"CAST({named_by(table, column, _spelled(table, column))} AS STRING)" for column in columns)
    # No directory is named ''.
    values = (f"coalesce(nullif({text}, ''), {string_literal(NO_VALUE)})" for text in texts)
    return f"to_json(array({', '.join(values)}))" if table.partition_keys else "'[]'"


def file_of(spark: SparkSession, insert: Insert, partition: str) -> str:
    """The file of a partition, given by `partition_sql`, whose rows change singly."""
    utils = spark.sparkContext._jvm.org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils  # type: ignore[union-attr]
    named = zip(insert.sink.partition_keys, json.loads(partition))
    return "/".join([*(utils.getPartitionPathString(*one) for one in named), _file_name(insert)])


def _file_name(insert: Insert) -> str:
    return f"{insert.name}.{insert.sink.suffix}"


def check(home: Home, insert: Insert) -> None:
    """Makes the directory this home's.

    Raises InputError if it is another's, can't be written, or can't be published to by one rename.
    """
    try:
        _check(home, insert, root_of(insert))
    except PermissionError as denied:
        where = denied.filename or root_of(insert)
        raise InputError(
            f"table {insert.sink.name!r}: no permission to write {where}: let the user of this process write there"
        ) from None


def _check(home: Home, insert: Insert, root: Path) -> None:
    if root.is_file():
        raise InputError(f"table {insert.sink.name!r}: {root} is a file, a directory is needed")
    root.mkdir(parents=True, exist_ok=True)
    if os.stat(root).st_dev != os.stat(home.staged).st_dev:
        raise InputError(
            f"table {insert.sink.name!r}: its directory {root} and the home {home.path} are on different file systems, "
            "but results are published by a rename: put the home on the file system of the table"
        )
    owner = home.identity().id
    if not put_if_absent(root / OWNER, owner.encode(), PUBLIC):
        standing = _owner(root / OWNER)
        if standing != owner:
            raise InputError(
                f"table {insert.sink.name!r}: another home publishes to {root} (its id is {standing}); "
                "give this report a directory of its own"
            )


def _owner(file: Path) -> str:
    """The id that stands there. What is none is not said: it may be another file's."""
    try:
        text = read_regular(file, _MOST_BYTES_OF_ID).decode(errors="replace")
    except (FileNotFoundError, HomeError) as wrong:
        raise InputError(f"{file} does not say whose the directory is: {wrong}") from None
    if not re.fullmatch("[0-9a-f]+", text):
        raise InputError(f"{file} does not say whose the directory is: take it away if no report publishes there")
    return text


# ---------------------------------------------------------------------------------------------------- stage


def stage(frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> list[Published]:
    """Writes the rows below `directory`, one file a window; what has no rows has no file, but for an update table."""
    table, windowed = insert.sink, bool(insert.operators)
    by = [*table.partition_keys, *([WINDOW_END] if windowed else [])]
    if windowed:
        # By the window alone: so all rows of a window meet in one task, and one file.
        frame = frame.repartition(tasks, WINDOW_END) if tasks > 1 and not _moves(insert) else frame.coalesce(1)
    elif insert.replaces_table:
        one = is_small(frame.sparkSession) or not table.partition_keys
        frame = frame.coalesce(1) if one else frame.repartition(F.expr(partition_sql(table)))
    frame = with_partition_names(frame, table)
    parts = [_spelled(table, table.column(name)) for name in table.partition_keys]
    frame = ordered(frame, insert, [*parts, *([WINDOW_END] if windowed else [])])
    if table.is_changelog:
        writer, kind = debezium_lines(_as_written(_ordered(frame, by), table), insert).write, "text"
    else:
        writer, kind = _as_written(frame, table).write, table.format
    if table.format == "parquet":
        codec = sink_option(table.options, "parquet.compression")
        writer = writer.option("compression", {"lz4": "lz4_raw", "none": "uncompressed"}.get(codec, codec))
    elif table.format == "csv":
        null = sink_option(table.options, "csv.null-literal")
        mark = sink_option(table.options, "csv.quote-character")
        separator = sink_option(table.options, "csv.field-delimiter")
        writer = writer.options(sep=separator, quote=mark, escape=mark, nullValue=null or "", emptyValue=mark * 2)
        # A text keeps its blanks: Spark would take them away.
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
        # Nobody publishes it, so nobody takes it away. Another insert may have written beside it.
        shutil.rmtree(path)
        with contextlib.suppress(OSError):
            directory.rmdir()
    return found


def _moves(insert: Insert) -> bool:
    """Whether a row can go from one window and come in a later one, so that the first one's file must be the older."""
    return insert.tells_changes and insert.window is not None and not insert.window.ends_on_grid


def _ordered(frame: DataFrame, by: list[str]) -> DataFrame:
    """Changes in the order in which they are told. `by` are the columns that part the files."""
    if OP not in frame.columns:
        return frame
    return frame.sortWithinPartitions(*map(F.col, by), *(F.expr(one) for one in ORDER))


def _as_written(frame: DataFrame, table: Table) -> DataFrame:
    """Text formats get times, and csv gets bytes, as Flink writes them; Parquet gets Spark's times."""
    if table.format == "parquet":
        timed = [column for column in table.physical if column.type.holds("TIME")]
        return frame.withColumns({column.name: F.expr(_spelled(table, column)) for column in timed})
    columns = (f"{_spelled(table, column)} AS {quote(column.name)}" for column in table.physical)
    return frame.selectExpr(*columns, *(name for name in (WINDOW_END, OP) if name in frame.columns))


def _spelled(table: Table, column: Column) -> str:
    """SQL of a column as its format has it."""
    name = quote(column.name)
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
        name = f"{insert.name}-{_compact(start)}-{_compact(end)}"
        by_bits = insert.window is not None and not insert.window.ends_on_grid and insert.timing.publishes_once
        if by_bits or insert.tells_changes:
            # What ends in one slot can become complete bit by bit; and changes stand beside what they change.
            name += f"-{uuid.uuid4().hex}"
    else:
        name = f"{insert.name}-{uuid.uuid4().hex}"
    target = "/".join([*parts, _file_name(insert) if insert.replaces_table else f"{name}.{insert.sink.suffix}"])
    content = file.read_bytes()
    checksum = hashlib.blake2b(content, digest_size=16).hexdigest()
    rows = _row_count(insert.sink, file, content)
    home = directory.parent.parent
    told = bool(insert.operators) and insert.tells_changes
    return Published(insert.name, start, end, state, rows, checksum, str(file.relative_to(home)), target, told)


def _compact(ms: int | None) -> str:
    return format_instant(ms).replace("-", "").replace(":", "").replace(" ", "T")


def _row_count(table: Table, file: Path, content: bytes) -> int:
    if table.format == "parquet":
        return read_footer([file]).rows
    if table.suffix == "json":
        return content.count(b"\n")
    return sum(1 for _ in csv_rows(file, table.options))


# ---------------------------------------------------------------------------------------------------- publish


def publish(home: Home, insert: Insert, published: Published) -> None:
    """Moves a staged file to its place, for readers to open. Where it is gone, somebody has moved it already."""
    root = root_of(insert)
    target, staged = root / published.target, home.path / published.staged
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        # An executor that runs as another user of the home's group has made it for that group.
        with contextlib.suppress(PermissionError):
            os.chmod(staged, PUBLIC)
        os.rename(staged, target)
    except FileNotFoundError:
        return
    except OSError as wrong:
        raise HomeError(f"can't publish {target}: {wrong.strerror}") from None


def remove(insert: Insert, targets: tuple[str, ...]) -> None:
    """Takes files away that a restatement declares void."""
    for target in targets:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(root_of(insert) / target)
