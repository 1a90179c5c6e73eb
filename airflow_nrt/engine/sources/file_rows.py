"""Rows of files: csv, json and parquet, with Hive's partitions or without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from airflow_nrt.basics.partition_pattern import NO_VALUE
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import STRING
from airflow_nrt.engine.sources.arrivals import partition_values
from airflow_nrt.engine.sources.changes import parse_changes
from airflow_nrt.engine.sources.csv import parse_csv
from airflow_nrt.engine.sources.csv_records import by_quotes, whole_records
from airflow_nrt.engine.sources.json import parse_json, with_objects
from airflow_nrt.engine.sources.long_lines import reader_options, within_elements
from airflow_nrt.engine.sources.malformed import NO_FAULT
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, MOST_INDEX, NUMBER, known_files
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.times_of_day import in_parquet
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.paths import GLOB, file_keys
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.entries import SourceFile
from airflow_nrt.model.asked_partitions import PartitionFilter
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import LINE, MODIFIED, SIZE, Column, Table

_PLACE = (
    f"_metadata.file_path AS {FILE}",
    f"CAST(NULL AS BIGINT) AS {NUMBER}",
    f"_metadata.file_block_start AS {BLOCK}",
)
# Spark's id of a row without the number of its partition, because one partition reads a block.
_COUNTED = f"monotonically_increasing_id() & {MOST_INDEX}L AS {INDEX}"
_METADATA = (f"_metadata.file_size AS {SIZE}", f"_metadata.file_modification_time AS {MODIFIED}")


def read_files(spark: SparkSession, source: Source, request: ReadRequest) -> DataFrame:
    """The rows of the files of a request, with the columns of `Source.read`.

    Also `_nrt_size` and `_nrt_modified` of the file, if the table has METADATA columns.
    """
    table, files, tasks, asked = source.table, request.files, request.tasks, request.asked
    stored = [column for column in table.physical if column.name not in table.partition_keys]
    wanted = [column for column in stored if column.name in source.physical]
    partitions = [column for column in table.physical if column.name in table.partition_keys]
    place = [*_PLACE, *_METADATA] if any(source.table.column(c).metadata for c in source.columns) else _PLACE
    options = {"basePath": table.path} if partitions else {}
    limit = {} if table.format == "parquet" else reader_options(table)
    if table.format == "parquet":
        columns = [*wanted, *partitions]
        known = f"CAST(NULL AS STRING) AS {LINE}", *NO_FAULT, *place, _COUNTED
        parts = []
        for alike in in_parquet([file.path for file in files], columns):
            reader = spark.read.options(**options).schema(_schema(alike.columns) if alike.columns else StructType())
            found = _of_partitions(reader.parquet(*(path.translate(GLOB) for path in alike.paths)), asked)
            parts.append(found.selectExpr(*alike.values, *known))
        rows = reduce(DataFrame.unionAll, parts)
    else:

        def lines(some: Sequence[SourceFile], **more: str) -> DataFrame:
            reader = spark.read.options(**options, **limit, **more).schema(_schema([Column(LINE, STRING), *partitions]))
            return _of_partitions(reader.text(_paths(some)), asked).selectExpr("*", *place)

        if table.format == "csv":
            some = files if asked is None else _asked_files(spark, files, table, asked)
            rows = parse_csv(_csv_records(lines, some, table, tasks), table, stored, wanted)
        elif table.change_format is not None:
            records = within_elements(_filled(lines(files)), table)
            rows = parse_changes(_counted(records, filled=False), table, table.change_format, wanted)
        else:
            objects = with_objects(within_elements(_filled(lines(files)), table))
            rows = parse_json(_counted(objects, filled=False), table, wanted)
    rows = tasks.gathered(rows)
    return rows if request.numbers is None else _numbered(rows, request.numbers)


def _csv_records(lines: Callable[..., DataFrame], files: Sequence[SourceFile], table: Table, tasks: Tasks) -> DataFrame:
    """The records of csv: lines, except in files with quotes, which are not split."""
    plain, quoted = by_quotes(files, table)
    records = []
    if plain or not quoted:
        records.append(_counted(lines(plain)))
    if quoted:
        # Lines end with \\n only, so that they still contain all other breaks.
        parts = tasks.gathered(_counted(lines(quoted, lineSep="\n"), filled=False))
        records.append(_filled(whole_records(parts, table, FILE, BLOCK, INDEX)).select(*parts.columns))
    return reduce(DataFrame.unionAll, records)


def _filled(lines: DataFrame) -> DataFrame:
    return lines.where(f"{LINE} <> ''")


def _counted(lines: DataFrame, filled: bool = True) -> DataFrame:
    return (_filled(lines) if filled else lines).selectExpr("*", _COUNTED)


def _paths(files: Sequence[SourceFile]) -> list[str]:
    return [file.path.translate(GLOB) for file in files]


def _asked_files(
    spark: SparkSession, files: Sequence[SourceFile], table: Table, asked: PartitionFilter
) -> list[SourceFile]:
    """The files of the partitions that are asked for. Spark evaluates the filter on their names, without a job."""
    kinds = {quote(name): table.column(name).type.spark for name in table.partition_keys}
    found = [partition_values(file.path, table.path) for file in files]
    places = [tuple(_partition(one.get(name)) for name in table.partition_keys) for one in found]
    numbers = {place: n for n, place in enumerate(dict.fromkeys(places))}
    rows = given_rows(spark, {"_nrt_n": "INT", **dict.fromkeys(kinds, "STRING")}, [(n, *p) for p, n in numbers.items()])
    typed = (f"CAST({name} AS {kind}) AS {name}" for name, kind in kinds.items())
    kept = {row[0] for row in rows.selectExpr("_nrt_n", *typed).where(asked.sql).select("_nrt_n").collect()}
    return [file for file, place in zip(files, places) if numbers[place] in kept]


def _partition(value: str | None) -> str | None:
    return None if value == NO_VALUE else value


def _of_partitions(rows: DataFrame, asked: PartitionFilter | None) -> DataFrame:
    """The rows of partitions that are asked for. Spark prunes files by a filter here, but not after the row index."""
    return rows if asked is None else rows.where(asked.sql)


def _numbered(rows: DataFrame, numbers: Mapping[str, int]) -> DataFrame:
    pairs = [(key, n) for path, n in numbers.items() for key in file_keys(path)]
    known = given_rows(rows.sparkSession, {FILE: "STRING", NUMBER: "BIGINT"}, pairs)
    return known_files(rows.drop(NUMBER), known, NUMBER)


def _schema(columns: Sequence[Column]) -> str:
    return ", ".join(f"{quote(column.name)} {column.type.spark}" for column in columns)
