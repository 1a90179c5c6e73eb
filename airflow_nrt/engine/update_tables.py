"""Results that change, in files of json, csv and parquet with a key: one file holds the table as it stands.

A batch that changes some row replaces it by one rename, so that a reader sees the table as it was behind a batch. It is
made of the table in the state, where no format has rounded or trimmed anything, and which nobody else can touch.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import same
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.partials import SLICE
from airflow_nrt.report.entries import StateFile
from airflow_nrt.report.hidden import OP
from airflow_nrt.report.plan import Insert
from airflow_nrt.report.spelling import quote


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
