"""Reading the files that a sink has published, as any reader of its directory does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import SPARK_TIME, times_as
from airflow_nrt.basics.types import STRING, DataType
from airflow_nrt.engine.sources.place import FILE, NUMBER, known_files
from airflow_nrt.engine.sources.times_of_day import of_json, of_parquet
from airflow_nrt.engine.spark.given_rows import empty_rows
from airflow_nrt.engine.spark.paths import GLOB, file_keys
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.tables import LINE, Table

CHANGE = "_nrt_change"
"""The column with what a record of a changelog file does: `c` adds the row, `d` retracts it."""
_ROW = "_nrt_row"


def read_results(spark: SparkSession, table: Table, base: Path, files: Sequence[Path]) -> DataFrame:
    """The table's columns and `_nrt_file`; of changelog files only the rows that are added."""
    if not files:
        stored = [(quote(column.name), column.type.spark) for column in table.physical]
        return empty_rows(spark, [*stored, (FILE, "STRING")])
    if table.change_format is not None:
        return read_changes(spark, table, base, files).where(f"{CHANGE} = 'c'").drop(CHANGE)
    schema = ", ".join(f"{quote(column.name)} {_read_type(table, column.type)}" for column in table.physical)
    reader = spark.read.schema(schema).option("basePath", str(base))
    if table.format == "csv":
        null = sink_option(table.options, "csv.null-literal")
        separator = sink_option(table.options, "csv.field-delimiter")
        mark = sink_option(table.options, "csv.quote-character")
        written = {"sep": separator, "quote": mark, "escape": mark, "nullValue": null or "", "emptyValue": ""}
        reader = reader.options(**written, multiLine=True)
    rows = reader.format(table.format).load(_paths(files))
    columns = (
        f"CAST({_value(table, quote(one.name), one.type)} AS {one.type.spark}) AS {quote(one.name)}"
        for one in table.physical
    )
    return rows.selectExpr(*columns, f"_metadata.file_path AS {FILE}")


def read_changes(spark: SparkSession, table: Table, base: Path, files: Sequence[Path]) -> DataFrame:
    """The rows of changelog files, with `_nrt_file` and the operation, `_nrt_change`."""
    stored = [column for column in table.physical if column.name not in table.partition_keys]
    form = CHANGE_FORMATS[table.format]
    row = ", ".join(f"{quote(column.name)}: {_read_type(table, column.type)}" for column in stored)
    keys = [f"{quote(name)} {table.column(name).type.spark}" for name in table.partition_keys]
    record = f"from_json({LINE}, {string_literal(form.fields(f'STRUCT<{row}>'))}) AS _nrt_record"
    columns = [
        f"CAST({_value(table, f'{_ROW}.{quote(one.name)}', one.type)} AS {one.type.spark}) AS {quote(one.name)}"
        if one in stored
        else quote(one.name)
        for one in table.physical
    ]
    lines = spark.read.schema(", ".join([f"{LINE} STRING", *keys])).option("basePath", str(base)).text(_paths(files))
    records = lines.selectExpr("*", record, f"_metadata.file_path AS {FILE}")
    rows = records.selectExpr("*", f"{form.row('_nrt_record')} AS {_ROW}")
    return rows.selectExpr(*columns, FILE, f"IF({form.adds('_nrt_record')}, 'c', 'd') AS {CHANGE}")


def read_folded(spark: SparkSession, table: Table, base: Path, files: Sequence[tuple[Path, int | None]]) -> DataFrame:
    """The rows that remain after all changes, with `_nrt_end`. `files` are changelog files in the order of the log,
    each with its window's end (None: no window)."""
    columns = [*(quote(column.name) for column in table.physical), WINDOW_END]
    places = {key: (n, end) for n, (path, end) in enumerate(files) for key in file_keys(str(path))}
    changes = known_files(read_changes(spark, table, base, [path for path, _ in files]), places, NUMBER, WINDOW_END)
    if not table.primary_key:
        counted = changes.groupBy(*columns).agg(F.sum(F.expr(f"IF({CHANGE} = 'c', 1, -1)")).alias("_nrt_n"))
        return counted.where("_nrt_n > 0").selectExpr(*columns, "explode(sequence(1, _nrt_n)) AS _nrt_n").drop("_nrt_n")
    # A file has at most one change of a key.
    row = ", ".join(columns)
    latest = changes.groupBy(*(quote(name) for name in table.primary_key), WINDOW_END).agg(
        F.expr(f"max_by(struct({CHANGE}, struct({row}) AS row), {NUMBER})").alias("_nrt_last")
    )
    return latest.where(f"_nrt_last.{CHANGE} = 'c'").select("_nrt_last.row.*")


def _read_type(table: Table, kind: DataType) -> str:
    """The type with which Spark reads a column: keys of a MAP in JSON are texts, and bytes in csv are base64."""
    if table.format == "parquet":
        return times_as(kind, SPARK_TIME).spark
    if table.format == "csv" and kind.is_bytes:
        return "STRING"
    kind = times_as(kind, STRING)
    return f"MAP<STRING, {kind.children[1][1].spark}>" if kind.name == "MAP" else kind.spark


def _value(table: Table, sql: str, kind: DataType) -> str:
    """The value of a column that was read with its `_read_type`."""
    if table.format == "csv" and kind.is_bytes:
        return f"unbase64({sql})"
    return of_parquet(sql, kind) if table.format == "parquet" else of_json(sql, kind)


def _paths(files: Iterable[Path]) -> list[str]:
    return [str(path).translate(GLOB) for path in files]
