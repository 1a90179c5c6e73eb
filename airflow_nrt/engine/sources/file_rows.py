"""Rows of files, with Hive's partitions or without: a function for each format of `model/options/known.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.sources.files.asked_files import AskedFiles
from airflow_nrt.engine.sources.files.avro import read_avro
from airflow_nrt.engine.sources.files.lines import read_changes, read_csv, read_json, read_raw
from airflow_nrt.engine.sources.files.orc import read_orc
from airflow_nrt.engine.sources.files.parquet import read_parquet
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER, known_files
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.paths import file_keys
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.plan import Source

_READERS: Mapping[str, Callable[[AskedFiles], DataFrame]] = {
    "csv": read_csv,
    "json": read_json,
    "parquet": read_parquet,
    **dict.fromkeys(CHANGE_FORMATS, read_changes),
    "raw": read_raw,
    "orc": read_orc,
    "avro": read_avro,
}


def read_files(spark: SparkSession, source: Source, request: ReadRequest) -> DataFrame:
    """The rows of the files of a request, with the columns of `Source.read`.

    Also `_nrt_size` and `_nrt_modified` of the file, if the table has METADATA columns.
    """
    ask = AskedFiles.of(spark, source, request)
    rows = ask.tasks.gathered(_READERS[source.table.format](ask))
    rows = _counted_in_files(rows) if source.identified else rows
    return rows if request.numbers is None else _numbered(rows, request.numbers)


def _counted_in_files(rows: DataFrame) -> DataFrame:
    """The rows with their numbers in their files as places. Other places depend on how Spark splits a file."""
    number = f"row_number() OVER (PARTITION BY {FILE} ORDER BY {BLOCK}, {INDEX}) - 1L"
    return rows.withColumn(INDEX, F.expr(number)).withColumn(BLOCK, F.lit(0).cast("bigint"))


def _numbered(rows: DataFrame, numbers: Mapping[str, int]) -> DataFrame:
    known = {key: (n,) for path, n in numbers.items() for key in file_keys(path)}
    return known_files(rows.drop(NUMBER), known, NUMBER)
