"""Results that change, as tables of files that hold the rows as they stand.

`json`, `csv` and `parquet` with a key: one file, which a batch that changes some row replaces by one rename, so that a
reader sees the table as it was behind a batch. It is made of the table in the state, where no format has rounded or
trimmed anything, and which nobody else can touch. Files of changes: what all of them say together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import same
from airflow_nrt.engine.given_rows import given_rows
from airflow_nrt.engine.result_files import CHANGE, read_changes
from airflow_nrt.engine.sources.filesystem import FILE, NUMBER, file_keys, known_files
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.partials import SLICE
from airflow_nrt.report.entries import StateFile
from airflow_nrt.report.hidden import OP
from airflow_nrt.report.plan import Insert
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import Table


class UpdateTables:
    """The tables of a report in the state: `files` as they stand behind what was staged last."""

    def __init__(self, store: SliceStore) -> None:
        self.store = store
        self.files: dict[str, tuple[StateFile, ...]] = {}

    def stand_at(self, files: Mapping[str, tuple[StateFile, ...]]) -> None:
        """Goes on from a position that the log has."""
        self.files = dict(files)

    def behind(self, insert: Insert, changes: DataFrame) -> DataFrame | None:
        """The table's rows behind these changes of it, which are in the update form; None if there are none."""
        names = [column.name for column in insert.sink.physical]
        columns = [quote(name) for name in names]
        told = changes.persist()
        try:
            if told.isEmpty():
                return None
            rows = told.where(f"{OP} <> '-D'").select(*columns)
            standing = self.store.read(self.files.get(insert.name, ()), names)
            if standing is not None:
                key = [quote(name) for name in insert.sink.primary_key]
                rows = standing.alias("l").join(told.alias("r"), same(key), "left_anti").unionAll(rows)
            # All of it is one slice.
            file = self.store.write(f"{insert.name}.table", rows.withColumn(SLICE, F.lit(0).cast("bigint"))).file
            self.files[insert.name] = () if file is None else (file,)
            written = self.store.read(self.files[insert.name], names)
            return written if written is not None else rows.where("false")
        finally:
            told.unpersist()


def folded(spark: SparkSession, table: Table, base: Path, files: Sequence[Path]) -> DataFrame:
    """The rows that stand behind all changes in these files, which are in the order of the log."""
    columns = [quote(column.name) for column in table.physical]
    changes = read_changes(spark, table, base, files)
    if not table.primary_key:
        counted = changes.groupBy(*columns).agg(F.sum(F.expr(f"IF({CHANGE} = 'c', 1, -1)")).alias("_nrt_n"))
        return counted.where("_nrt_n > 0").selectExpr(*columns, "explode(sequence(1, _nrt_n)) AS _nrt_n").drop("_nrt_n")
    numbers = [(key, n) for n, path in enumerate(files) for key in file_keys(str(path))]
    numbered = known_files(changes, given_rows(spark, {FILE: "STRING", NUMBER: "BIGINT"}, numbers), NUMBER)
    # A file tells one thing of a key.
    row = ", ".join(columns)
    latest = numbered.groupBy(*(quote(name) for name in table.primary_key)).agg(
        F.expr(f"max_by(struct({CHANGE}, struct({row}) AS row), {NUMBER})").alias("_nrt_last")
    )
    return latest.where(f"_nrt_last.{CHANGE} = 'c'").select("_nrt_last.row.*")
