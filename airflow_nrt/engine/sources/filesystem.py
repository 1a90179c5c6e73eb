"""Tables of files: csv, json, parquet, partitioned in Hive's manner or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote as percent

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.sources.csv import parse_csv
from airflow_nrt.engine.sources.json import parse_json
from airflow_nrt.report.entries import SourceFile
from airflow_nrt.report.plan import Source
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import Column
from airflow_nrt.report.types import STRING

_GLOB = str.maketrans({character: "\\" + character for character in "\\{}[]*?,"})
_URI_SAFE = "/:@&=+$,;~!*'()-_."

_FILE = "regexp_replace(_metadata.file_path, '^file:/+', '/')"
_POSITION = (
    "struct(CAST(NULL AS BIGINT) AS file, _metadata.file_block_start AS block, monotonically_increasing_id() AS row, "
    f"{_FILE} AS path)"
)
"""Where a row stood on arrival. The id grows along a block, so that (file, block, id) grows along a file."""


def read_files(
    spark: SparkSession, source: Source, files: Sequence[SourceFile], numbers: Mapping[str, int] | None = None
) -> DataFrame:
    """The rows of these files: the physical columns that the plan reads, and what later steps need:

    _nrt_malformed  boolean   the line could not be read (csv, json)
    _nrt_line       string    the line itself (csv, json), else NULL
    _nrt_file       string    the file, as `file_uri` spells it
    _nrt_pos        struct    where the row stood; its `file` is the number of the file, where `numbers` has them
    """
    table = source.table
    stored = [column for column in table.physical if column.name not in table.partition_keys]
    wanted = [column for column in stored if column.name in source.physical]
    partitions = [column for column in table.physical if column.name in table.partition_keys]
    paths = [file.path.translate(_GLOB) for file in files]
    reader = spark.read.option("basePath", table.path) if partitions else spark.read
    if table.format == "parquet":
        rows = reader.schema(_schema([*wanted, *partitions])).parquet(*paths)
        rows = rows.selectExpr("*", "CAST(NULL AS STRING) AS _nrt_line", "false AS _nrt_malformed", *_place())
    else:
        lines = reader.schema(_schema([Column("value", STRING), *partitions])).text(paths)
        lines = lines.selectExpr("*", "value AS _nrt_line", *_place()).where("length(trim(value)) > 0")
        rows = parse_csv(lines, table, stored, wanted) if table.format == "csv" else parse_json(lines, wanted)
        rows = rows.drop("value")
    return _numbered(spark, rows, numbers)


def _place() -> tuple[str, str]:
    return f"{_FILE} AS _nrt_file", f"{_POSITION} AS _nrt_pos"


def _numbered(spark: SparkSession, rows: DataFrame, numbers: Mapping[str, int] | None) -> DataFrame:
    if numbers is None:
        return rows
    known = spark.createDataFrame(
        [(file_uri(path), n) for path, n in numbers.items()], "_nrt_file STRING, _nrt_n BIGINT"
    )
    others = [quote(name) for name in rows.columns if name != "_nrt_pos"]
    position = "struct(_nrt_n AS file, _nrt_pos.block AS block, _nrt_pos.row AS row, _nrt_pos.path AS path) AS _nrt_pos"
    return rows.join(known.hint("broadcast"), "_nrt_file").selectExpr(*others, position)


def file_uri(path: str) -> str:
    """The path as `_nrt_file` says it: quoted as Java quotes a URI, which leaves letters beyond ASCII alone."""
    return "".join(c if ord(c) > 127 else percent(c, safe=_URI_SAFE) for c in path)


def _schema(columns: Sequence[Column]) -> str:
    return ", ".join(f"{quote(column.name)} {column.type.spark}" for column in columns)
