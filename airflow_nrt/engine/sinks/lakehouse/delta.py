"""A table of Delta Lake. The mark of a commit is a transaction of Delta: an application and a version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, DataFrameWriter
from pyspark.sql.types import StructType

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.sinks.lakehouse.delta_versions import delta_versions
from airflow_nrt.engine.sinks.lakehouse.lake_table import CHANGES, LakeTable, Mark
from airflow_nrt.engine.sinks.table_versions import TableVersions
from airflow_nrt.engine.spark.lakehouse.delta_log import delta_mark, delta_properties, delta_snapshot
from airflow_nrt.engine.spark.query_frames import named
from airflow_nrt.engine.spark.temporary_settings import setting
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.model.connectors.delta import PATH

_APPLICATION, _VERSION = "spark.databricks.delta.write.txnAppId", "spark.databricks.delta.write.txnVersion"
_ASKS = "spark.databricks.delta.retentionDurationCheck.enabled"
_RACES = ("ConcurrentTransaction", "ConcurrentAppend", "ConcurrentDelete", "ConcurrentWrite", "MetadataChanged")


class DeltaTable(LakeTable):
    @property
    def name(self) -> str:
        return self.insert.sink.options[PATH]

    def _snapshot(self) -> Any:
        return delta_snapshot(self.spark, self.insert.sink)

    def schema(self) -> StructType | None:
        snapshot = self._snapshot()
        if snapshot.version() < 0:
            self._check_empty()
            return None
        return StructType.fromJson(json.loads(snapshot.schema().json()))

    def _check_empty(self) -> None:
        path = (self.spark._jvm).org.apache.hadoop.fs.Path(self.name)  # type: ignore[union-attr]
        files = path.getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf())
        if files.exists(path) and (files.getFileStatus(path).isFile() or len(files.listStatus(path))):
            raise InputError(
                f"table {self.insert.sink.name!r}: {self.name} is not empty, and is no table of Delta: correct '{PATH}'"
            )

    def create(self, columns: str, properties: Mapping[str, str]) -> None:
        keys = self.insert.sink.partition_keys
        parts = f" PARTITIONED BY ({', '.join(map(quote, keys))})" if keys else ""
        self.spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self.sql_name} ({columns}) USING delta{parts} TBLPROPERTIES "
            f"({_listed(properties)})"
        )

    @property
    def sql_name(self) -> str:
        return f"delta.{quote(self.name)}"

    def properties(self) -> Mapping[str, str]:
        return delta_properties(self._snapshot())

    def set_properties(self, properties: Mapping[str, str]) -> None:
        self.spark.sql(f"ALTER TABLE {self.sql_name} SET TBLPROPERTIES ({_listed(properties)})")

    def remove_properties(self, names: Iterable[str]) -> None:
        listed = ", ".join(map(string_literal, names))
        self.spark.sql(f"ALTER TABLE {self.sql_name} UNSET TBLPROPERTIES IF EXISTS ({listed})")

    def published(self, writer: str) -> int | None:
        return delta_mark(self._snapshot(), writer)

    def past(self, writer: str) -> TableVersions | None:
        return delta_versions(self.spark, self._snapshot(), writer)

    def rows(self, version: int | None = None) -> DataFrame:
        reader = self.spark.read.format("delta")
        return (reader if version is None else reader.option("versionAsOf", version)).load(self.name)

    def append(self, rows: DataFrame, mark: Mark) -> None:
        self._marked(rows, mark).mode("append").save(self.name)

    def replace(self, rows: DataFrame | None, condition: str, mark: Mark) -> None:
        if rows is None:
            schema = self.schema()
            assert schema is not None
            rows = self.spark.createDataFrame([], schema)
        self._marked(rows, mark).mode("overwrite").option("replaceWhere", condition).save(self.name)

    def _marked(self, rows: DataFrame, mark: Mark) -> DataFrameWriter:
        return rows.write.format("delta").option("txnAppId", mark.writer).option("txnVersion", mark.entry)

    def merge(self, rows: DataFrame, mark: Mark) -> None:
        """MERGE takes its mark from the settings of the session that it runs in."""
        marked = {_APPLICATION: mark.writer, _VERSION: str(mark.entry)}
        with named({CHANGES: rows}) as session, setting(session, marked):
            session.sql(self.merge_sql(self.sql_name))

    def files(self) -> int:
        return int(self._snapshot().numOfFiles())

    def compact(self) -> None:
        self.spark.sql(f"OPTIMIZE {self.sql_name}")

    def forget(self, before: int) -> None:
        """Delta counts whole hours, and asks whether less than seven days is meant: the caller has said so."""
        hours = max((now_ms() - before) // HOUR, 0)
        with setting(self.spark, {_ASKS: "false"}):
            self.spark.sql(f"VACUUM {self.sql_name} RETAIN {hours} HOURS")

    def lost_race(self, failure: Exception) -> bool:
        return any(race in one.kind for one in chain_of(failure) for race in _RACES)


def _listed(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{string_literal(name)} = {string_literal(text)}" for name, text in properties.items())
