"""Results that a server takes: staged in Parquet below the home, one file a window, until the log has decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType

from airflow_nrt.engine.sinks.ordered import ordered
from airflow_nrt.engine.spark.footers import read_footer, schema_of
from airflow_nrt.files.checksum import checksum_of
from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP = 16 << 20
"""Bytes: a task has up to 32 files open, and Parquet makes room for a row group in each."""


def in_windows(frame: DataFrame, insert: Insert, tasks: int) -> DataFrame:
    """The rows in the insert's order. One task has all rows of a window."""
    if not insert.operators:
        return ordered(frame, insert, [])
    frame = frame.repartition(tasks, WINDOW_END) if tasks > 1 else frame.coalesce(1)
    return ordered(frame, insert, [WINDOW_END])


def read_staged(spark: SparkSession, insert: Insert, files: Iterable[Path]) -> DataFrame:
    """The rows of staged files of an insert, with `_nrt_end` if it is windowed."""
    by_place: dict[Path, list[str]] = {}
    for file in files:
        # An entry may have been staged in several steps.
        by_place.setdefault(file.parents[1 if insert.operators else 0], []).append(str(file))
    return reduce(DataFrame.unionAll, (_read(spark, insert, base, some) for base, some in by_place.items()))


def _read(spark: SparkSession, insert: Insert, base: Path, files: Sequence[str]) -> DataFrame:
    # Spark would start a job to read the schema of a file.
    schema = schema_of(Path(files[0]))
    if insert.operators:
        schema = schema.add(WINDOW_END, LongType())
    return spark.read.schema(schema).option("basePath", str(base)).parquet(*files)


def staged_parquet(
    rows: DataFrame, insert: Insert, directory: Path, state: str, target_of: Callable[[int | None], str]
) -> Iterator[Published]:
    """Writes the rows (with `_nrt_end` if the insert is windowed). `target_of` names what becomes of a window's file,
    by the window's end."""
    path = directory / insert.name
    writer = rows.write.option("parquet.block.size", _ROW_GROUP)
    writer.partitionBy(*([WINDOW_END] if insert.operators else [])).parquet(str(path))
    for file in sorted(path.rglob("part-*.parquet")):
        count = read_footer([file]).rows
        if not count:
            continue
        end = int(file.parent.name.partition("=")[2]) if insert.operators else None
        start = insert.window.start(end) if insert.window is not None and end is not None else None
        checksum = checksum_of(file)
        staged = str(file.relative_to(directory.parent.parent))
        is_changelog = end is not None and insert.emits_changes
        yield Published(insert.name, start, end, state, count, checksum, staged, target_of(end), is_changelog)


def staged_sample(file: Path, keys: Sequence[str], measures: Sequence[str], limit: int) -> tuple[pa.Table, int] | None:
    """As `Sink.sample`, of a staged file; None if it is published and gone, or has more bytes than `limit`."""
    if not file.is_file() or file.stat().st_size > limit:
        return None
    # Imported with the first window: the import is slow, and many reports have no windows.
    import pyarrow as pa
    from pyarrow import parquet

    from airflow_nrt.engine.sinks.result_tables import as_doubles, as_texts

    rows = parquet.ParquetFile(file).read([*keys, *measures], use_threads=False)
    columns = [*(as_texts(rows[name]) for name in keys), *(as_doubles(rows[name]) for name in measures)]
    return pa.table(columns, names=[*keys, *measures]), file.stat().st_size
