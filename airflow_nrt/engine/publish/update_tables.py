"""Upserts into files of json, csv and parquet: the current table, with a file for each partition.

A batch that changes a row of a partition replaces the partition's file by one rename, so that readers see each
partition as it was after a batch. Without PARTITIONED BY the table is one file. The file is written from a copy of the
table in the state, which has no rounding of a format, and which nobody else can change. The copy is in parts, and a
batch rewrites only the parts that it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.file_staging import file_of, partition_sql
from airflow_nrt.engine.spark.query_frames import same
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import Published, StateFile
from airflow_nrt.home.log.position.state_kinds import TableParts
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.plan import Insert

PARTS = 256
"""The number of parts. The hash of its partition decides the part of a row. Each entry of the log names all parts, and
homes rely on the number."""


class UpdateTables:
    """The tables of a report in the state. `files` are those after the last staging, `removed` the partitions
    (`insert/place`) that have no rows any more then."""

    def __init__(self, store: SliceStore) -> None:
        self.store = store
        self.files: dict[str, tuple[StateFile, ...]] = {}
        self.removed: list[str] = []

    def stand_at(self, files: Mapping[str, tuple[StateFile, ...]]) -> None:
        """Continues from a position in the log."""
        self.files = dict(files)
        self.removed = []

    def stage(
        self, insert: Insert, changes: DataFrame, stage: Callable[[DataFrame], list[Published]]
    ) -> list[Published]:
        """Stages the partitions that these changes touch, as they are after them. `changes` are in update form."""
        partition = partition_sql(insert.sink)
        part = f"pmod(xxhash64({partition}), {PARTS}L)" if insert.sink.partition_keys else "0L"
        changes = changes.persist()
        try:
            touched = {row[0]: row[1] for row in changes.selectExpr(partition, part).distinct().collect()}
            if not touched:
                return []
            rows = self._applied(insert, changes, part, frozenset(touched.values()))
            staged = stage(rows.where(F.expr(partition).isin([*touched])))
        finally:
            changes.unpersist()
        if len(staged) < len(touched):
            places = {file_of(self.store.spark, insert, one) for one in touched} - {one.target for one in staged}
            self.removed += [f"{insert.name}/{place}" for place in sorted(places)]
        return staged

    def _applied(self, insert: Insert, changes: DataFrame, part: str, parts: frozenset[int]) -> DataFrame:
        """All rows of these parts after the changes, which it also writes into the state."""
        names = [column.name for column in insert.sink.physical]
        rows = changes.where(f"{OP} <> '-D'").select(*map(quote, names))
        known = TableParts(self.files.get(insert.name, ()))
        standing = self.store.read(known.of(parts).files, names)
        if standing is not None:
            key = [quote(name) for name in insert.sink.primary_key]
            rows = standing.alias("l").join(changes.alias("r"), same(key), "left_anti").unionAll(rows)
        files = self._kept(insert, rows.selectExpr("*", f"{part} AS {SLICE}"))
        self.files[insert.name] = (*known.without(parts).files, *files)
        written = self.store.read(files, names)
        return rows.where("false") if written is None else written

    def _kept(self, insert: Insert, rows: DataFrame) -> tuple[StateFile, ...]:
        name = f"{insert.name}.table"
        if insert.sink.partition_keys:
            return self.store.write_parts(name, self.store.tasks.by_key(rows, [SLICE]))
        file = self.store.write(name, rows).file
        return () if file is None else (file,)
