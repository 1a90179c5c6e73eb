"""Results that change, as tables of files that hold the rows as they stand.

`json`, `csv` and `parquet` with a key: one file, which a batch that changes some row replaces by one rename, so that a
reader sees the table as it was behind a batch. Files of changes: what all of them say together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import same
from airflow_nrt.engine.given_rows import given_rows
from airflow_nrt.engine.result_files import read_changes, read_results
from airflow_nrt.engine.sinks.filesystem import file_of, root_of
from airflow_nrt.engine.sources.filesystem import FILE, NUMBER, file_keys, known_files
from airflow_nrt.report.errors import DataError
from airflow_nrt.report.hidden import OP
from airflow_nrt.report.log import Log
from airflow_nrt.report.plan import Insert
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import Table


def replaced(insert: Insert, changes: DataFrame, log: Log) -> DataFrame:
    """The table's rows behind these changes of it, in the update form. Raises DataError if its file is gone."""
    table, root = insert.sink, root_of(insert)
    file = root / file_of(insert)
    columns = [quote(column.name) for column in table.physical]
    if not file.exists() and any(one.insert == insert.name for entry in log.backwards() for one in entry.published):
        raise DataError(
            f"table {table.name!r}: somebody has taken its file {file} away, and rows that have not changed since "
            "stood there alone: put it back, or start the report anew in another home"
        )
    standing = read_results(changes.sparkSession, table, root, [file] if file.exists() else [])
    key = [quote(name) for name in table.primary_key]
    kept = standing.alias("l").join(changes.alias("r"), same(key), "left_anti").select(*columns)
    return kept.unionAll(changes.where(f"{OP} <> '-D'").select(*columns))


def folded(spark: SparkSession, table: Table, base: Path, files: Sequence[Path]) -> DataFrame:
    """The rows that stand behind all changes in these files, which are in the order of the log."""
    columns = [quote(column.name) for column in table.physical]
    changes = read_changes(spark, table, base, files)
    if not table.primary_key:
        counted = changes.groupBy(*columns).agg(F.sum(F.expr("IF(op = 'c', 1, -1)")).alias("_nrt_n"))
        return counted.where("_nrt_n > 0").selectExpr(*columns, "explode(sequence(1, _nrt_n)) AS _nrt_n").drop("_nrt_n")
    numbers = [(key, n) for n, path in enumerate(files) for key in file_keys(str(path))]
    numbered = known_files(changes, given_rows(spark, {FILE: "STRING", NUMBER: "BIGINT"}, numbers), NUMBER)
    # A file tells one thing of a key.
    row = ", ".join(columns)
    latest = numbered.groupBy(*(quote(name) for name in table.primary_key)).agg(
        F.expr(f"max_by(struct(op, struct({row}) AS row), {NUMBER})").alias("last")
    )
    return latest.where("last.op = 'c'").select("last.row.*")
