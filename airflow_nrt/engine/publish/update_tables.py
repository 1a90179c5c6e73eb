"""Results that change, in files of json, csv and parquet with a key: the table as it stands, a file for each partition.

A batch that changes some row of a partition replaces its file by one rename, so that a reader sees the partition as it
was behind a batch; without PARTITIONED BY that is the table. It is made of the table in the state, where no format has
rounded or trimmed anything, and which nobody else can touch. That lies in parts, of which a batch writes those alone
that hold what it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.file_staging import file_of, partition_sql
from airflow_nrt.engine.spark.frames import same
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import Published, StateFile
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.plan import Insert

PARTS = 256
"""By the hash of its partition a row lies in one of so many parts, and each entry of the log names them all. Homes rely
on the number."""


class UpdateTables:
    """The tables of a report in the state: `files` as they stand behind what was staged last, `removed` are the
    partitions (`insert/place`) that have no rows any more by that."""

    def __init__(self, store: SliceStore) -> None:
        self.store = store
        self.files: dict[str, tuple[StateFile, ...]] = {}
        self.removed: list[str] = []

    def stand_at(self, files: Mapping[str, tuple[StateFile, ...]]) -> None:
        """Goes on from a position that the log has."""
        self.files = dict(files)
        self.removed = []

    def stage(
        self, insert: Insert, changes: DataFrame, stage: Callable[[DataFrame], list[Published]]
    ) -> list[Published]:
        """Stages the partitions that these changes touch, which are in the update form, as they stand behind them."""
        partition = partition_sql(insert.sink)
        part = f"pmod(xxhash64({partition}), {PARTS}L)" if insert.sink.partition_keys else "0L"
        told = changes.persist()
        try:
            touched = {row[0]: row[1] for row in told.selectExpr(partition, part).distinct().collect()}
            if not touched:
                return []
            rows = self._behind(insert, told, part, frozenset(touched.values()))
            staged = stage(rows.where(F.expr(partition).isin([*touched])))
        finally:
            told.unpersist()
        if len(staged) < len(touched):
            places = {file_of(self.store.spark, insert, one) for one in touched} - {one.target for one in staged}
            self.removed += [f"{insert.name}/{place}" for place in sorted(places)]
        return staged

    def _behind(self, insert: Insert, told: DataFrame, part: str, parts: frozenset[int]) -> DataFrame:
        """All rows of these parts behind the changes, which the state has from now on."""
        names = [column.name for column in insert.sink.physical]
        rows = told.where(f"{OP} <> '-D'").select(*map(quote, names))
        known = self.files.get(insert.name, ())
        standing = self.store.read([file for file in known if file.first in parts], names)
        if standing is not None:
            key = [quote(name) for name in insert.sink.primary_key]
            rows = standing.alias("l").join(told.alias("r"), same(key), "left_anti").unionAll(rows)
        files = self._kept(insert, rows.selectExpr("*", f"{part} AS {SLICE}"))
        self.files[insert.name] = (*(file for file in known if file.first not in parts), *files)
        written = self.store.read(files, names)
        return rows.where("false") if written is None else written

    def _kept(self, insert: Insert, rows: DataFrame) -> tuple[StateFile, ...]:
        name = f"{insert.name}.table"
        if insert.sink.partition_keys:
            return self.store.write_parts(name, self.store.tasks.by_key(rows, [SLICE]))
        file = self.store.write(name, rows).file
        return () if file is None else (file,)
