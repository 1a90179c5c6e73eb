"""Tables of files: csv, json, parquet, partitioned in Hive's manner or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from urllib.parse import quote as percent

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from airflow_nrt.engine.given_rows import given_rows
from airflow_nrt.engine.sources.csv import parse_csv
from airflow_nrt.engine.sources.debezium import parse_debezium
from airflow_nrt.engine.sources.json import parse_json
from airflow_nrt.engine.sources.times_of_day import Files, in_parquet
from airflow_nrt.engine.tuning import gathered
from airflow_nrt.report.entries import SourceFile
from airflow_nrt.report.partition_filter import PartitionFilter
from airflow_nrt.report.plan import Source
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import LINE, MODIFIED, SIZE, SOURCE_FILE, Column
from airflow_nrt.report.types import STRING

GLOB = str.maketrans({character: "\\" + character for character in "\\{}[]*?,"})
_URI_SAFE = "/:@&=+$,;~!*'()-_."

FILE, NUMBER, BLOCK, INDEX = SOURCE_FILE, "_nrt_number", "_nrt_block", "_nrt_index"
"""Where a row stood on arrival. The index grows along a block, so that (number, block, index) grows along a file.

It is Spark's without the number of the partition: a block is read by one partition, and a row that becomes several
wants the bits (`sql/laterals.py`).
"""
_PLACE = (
    f"_metadata.file_path AS {FILE}",
    f"CAST(NULL AS BIGINT) AS {NUMBER}",
    f"_metadata.file_block_start AS {BLOCK}",
    f"monotonically_increasing_id() & {2**33 - 1}L AS {INDEX}",
)
_METADATA = (f"_metadata.file_size AS {SIZE}", f"_metadata.file_modification_time AS {MODIFIED}")


def read_files(
    spark: SparkSession,
    source: Source,
    files: Sequence[SourceFile],
    numbers: Mapping[str, int] | None = None,
    asked: PartitionFilter | None = None,
) -> DataFrame:
    """The rows of these files, of partitions `asked` for: the physical columns that the plan reads, and what is needed:

    _nrt_malformed  boolean   the line could not be read (csv, json)
    _nrt_line       string    the line itself (csv, json), else NULL
    _nrt_file       string    the file, as Spark spells it (`file_keys`)
    _nrt_op         string    what happens to the row (debezium-json alone)
    _nrt_size, _nrt_modified  of the file, where the table has a column of one
    _nrt_number     bigint    the number of the file, where `numbers` has them by path
    _nrt_block, _nrt_index    where the row stood in the file
    """
    table = source.table
    stored = [column for column in table.physical if column.name not in table.partition_keys]
    wanted = [column for column in stored if column.name in source.physical]
    partitions = [column for column in table.physical if column.name in table.partition_keys]
    paths = [file.path.translate(GLOB) for file in files]
    place = [*_PLACE, *_METADATA] if any(source.table.column(c).metadata for c in source.columns) else _PLACE
    reader = spark.read.option("basePath", table.path) if partitions else spark.read
    if table.format == "parquet":
        columns = [*wanted, *partitions]
        known = f"CAST(NULL AS STRING) AS {LINE}", "false AS _nrt_malformed", *place
        parts = [
            _of_partitions(_parquet(reader, alike), asked).selectExpr(*alike.values, *known)
            for alike in in_parquet([file.path for file in files], columns)
        ]
        rows = reduce(DataFrame.unionAll, parts)
    else:
        lines = _of_partitions(reader.schema(_schema([Column(LINE, STRING), *partitions])).text(paths), asked)
        lines = lines.selectExpr("*", *place).where(f"{LINE} <> ''")
        if table.format == "csv":
            rows = parse_csv(lines, table, stored, wanted)
        else:
            rows = parse_debezium(lines, table, wanted) if table.is_changelog else parse_json(lines, table, wanted)
    rows = gathered(rows)
    return rows if numbers is None else _numbered(rows, numbers)


def _parquet(reader: DataFrameReader, files: Files) -> DataFrame:
    schema = _schema(files.columns) if files.columns else StructType()
    return reader.schema(schema).parquet(*(path.translate(GLOB) for path in files.paths))


def _of_partitions(rows: DataFrame, asked: PartitionFilter | None) -> DataFrame:
    """Spark leaves out files by a condition that stands here, and by none behind: the rows are counted there."""
    return rows if asked is None else rows.where(asked.sql)


def _numbered(rows: DataFrame, numbers: Mapping[str, int]) -> DataFrame:
    pairs = [(key, n) for path, n in numbers.items() for key in file_keys(path)]
    known = given_rows(rows.sparkSession, {FILE: "STRING", NUMBER: "BIGINT"}, pairs)
    return known_files(rows.drop(NUMBER), known, NUMBER)


def known_files(rows: DataFrame, known: DataFrame, column: str) -> DataFrame:
    """The rows with what is known of their file. A file that nothing is known of ends the job: no row is left out."""
    unknown = f"raise_error(concat('the file ', {FILE}, ' is spelled otherwise than the log spells it'))"
    joined = rows.join(F.broadcast(known.withColumn("_nrt_known", F.lit(True))), FILE, "left")
    return joined.withColumn(column, F.expr(f"IF(_nrt_known, {column}, {unknown})")).drop("_nrt_known")


def file_keys(path: str) -> tuple[str, str]:
    """The two ways in which Spark may spell a path in `_nrt_file`."""
    spelled = file_uri(path)
    return f"file:{spelled}", f"file://{spelled}"


def file_uri(path: str) -> str:
    """The path quoted as Java quotes a URI, which leaves letters beyond ASCII alone."""
    return "".join(c if ord(c) > 127 else percent(c, safe=_URI_SAFE) for c in path)


def bare_file(sql: str = FILE) -> str:
    """SQL of the path in `_nrt_file` without its scheme: what `file_uri` gives."""
    return f"regexp_replace({sql}, '^file:/+', '/')"


def _schema(columns: Sequence[Column]) -> str:
    return ", ".join(f"{quote(column.name)} {column.type.spark}" for column in columns)
