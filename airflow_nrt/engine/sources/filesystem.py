"""Tables of files: csv, json, parquet, partitioned in Hive's manner or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from urllib.parse import quote as percent

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import STRING
from airflow_nrt.engine.sources.arrivals import partition_values
from airflow_nrt.engine.sources.csv import parse_csv
from airflow_nrt.engine.sources.csv_records import by_quotes, whole_records
from airflow_nrt.engine.sources.debezium import parse_debezium
from airflow_nrt.engine.sources.faults import NO_FAULT
from airflow_nrt.engine.sources.json import parse_json, with_objects
from airflow_nrt.engine.sources.long_lines import reader_options
from airflow_nrt.engine.sources.times_of_day import in_parquet
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.tuning import gathered
from airflow_nrt.home.log.entries import SourceFile
from airflow_nrt.model.partition_filter import PartitionFilter
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import LINE, MODIFIED, SIZE, SOURCE_FILE, Column, Table

GLOB = str.maketrans({character: "\\" + character for character in "\\{}[]*?,"})
_URI_SAFE = "/:@&=+$,;~!*'()-_."

FILE, NUMBER, BLOCK, INDEX = SOURCE_FILE, "_nrt_number", "_nrt_block", "_nrt_index"
"""Where a row stood on arrival. The index grows along a block, so that (number, block, index) grows along a file.

It is Spark's without the number of the partition: a block is read by one partition, and a row that becomes several
wants the bits (`sql/relations/laterals.py`).
"""
_PLACE = (
    f"_metadata.file_path AS {FILE}",
    f"CAST(NULL AS BIGINT) AS {NUMBER}",
    f"_metadata.file_block_start AS {BLOCK}",
)
_COUNTED = f"monotonically_increasing_id() & {2**33 - 1}L AS {INDEX}"
_METADATA = (f"_metadata.file_size AS {SIZE}", f"_metadata.file_modification_time AS {MODIFIED}")


def read_files(
    spark: SparkSession,
    source: Source,
    files: Sequence[SourceFile],
    numbers: Mapping[str, int] | None = None,
    asked: PartitionFilter | None = None,
) -> DataFrame:
    """The rows of these files, of partitions `asked` for: the physical columns that the plan reads, and what is needed:

    _nrt_fault      string    what of the line could not be read, and `_nrt_why` (`faults.py`); NULL if all could
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
            rows = parse_csv(_csv_records(lines, some, table), table, stored, wanted)
        elif table.is_changelog:
            rows = parse_debezium(_counted(lines(files)), table, wanted)
        else:
            rows = parse_json(_counted(with_objects(_filled(lines(files)))), table, wanted)
    rows = gathered(rows)
    return rows if numbers is None else _numbered(rows, numbers)


def _csv_records(lines: Callable[..., DataFrame], files: Sequence[SourceFile], table: Table) -> DataFrame:
    """The records of csv: lines, but in files that hold a quote, which are not read in parts."""
    plain, quoted = by_quotes(files, table)
    records = []
    if plain or not quoted:
        records.append(_counted(lines(plain)))
    if quoted:
        # Each part ends with \\n alone, so that every other break of a line is still there.
        parts = gathered(_counted(lines(quoted, lineSep="\n"), filled=False))
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
    """The files of the partitions that are asked for, which Spark tells from their names without a job."""
    kinds = {quote(name): table.column(name).type.spark for name in table.partition_keys}
    found = [partition_values(file.path, table.path) for file in files]
    places = [tuple(_partition(one.get(name)) for name in table.partition_keys) for one in found]
    numbers = {place: n for n, place in enumerate(dict.fromkeys(places))}
    rows = given_rows(spark, {"_nrt_n": "INT", **dict.fromkeys(kinds, "STRING")}, [(n, *p) for p, n in numbers.items()])
    typed = (f"CAST({name} AS {kind}) AS {name}" for name, kind in kinds.items())
    kept = {row[0] for row in rows.selectExpr("_nrt_n", *typed).where(asked.sql).select("_nrt_n").collect()}
    return [file for file, place in zip(files, places) if numbers[place] in kept]


def _partition(value: str | None) -> str | None:
    return None if value == "__HIVE_DEFAULT_PARTITION__" else value


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


def written_path(sql: str = FILE) -> str:
    """SQL of the path in `_nrt_file` as its directory spells it."""
    return f"url_decode(replace({bare_file(sql)}, '+', '%2B'))"


def bare_file(sql: str = FILE) -> str:
    """SQL of the path in `_nrt_file` without its scheme: what `file_uri` gives."""
    return f"regexp_replace({sql}, '^file:/+', '/')"


def _schema(columns: Sequence[Column]) -> str:
    return ", ".join(f"{quote(column.name)} {column.type.spark}" for column in columns)
