"""Dimension tables of a lakehouse: a version is one that the table itself has."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pyspark.sql import DataFrame, Observation, SparkSession

from airflow_nrt.engine.dimensions.dimension import Dimension
from airflow_nrt.engine.dimensions.filesystem import check_size
from airflow_nrt.engine.sources.lakehouse.history import TableHistory, source_files
from airflow_nrt.engine.sources.lakehouse.lakehouse import LakehouseSource
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.time.computed_columns import computed_columns
from airflow_nrt.engine.time.fractions import with_fractions
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import Table


@dataclass(frozen=True)
class LakehouseDimension(Dimension):
    """The dimension tables of a format. `history_of` opens the history of a table."""

    history_of: Callable[[SparkSession, Table], TableHistory]
    has_server = True

    def mark(self, spark: SparkSession, table: Table) -> int:
        LakehouseSource(self.history_of).check(spark, table)
        return self.history_of(spark, table).newest()

    def rows(self, spark: SparkSession, source: Source, mark: Hashable) -> tuple[DataFrame, Observation | None]:
        assert isinstance(mark, int)
        version = self.history_of(spark, source.table).at(mark)
        files = source_files(version, version.added)
        if not files:
            return no_rows(spark, source), None
        check_size(source.table, files)
        rows = with_fractions(LakehouseSource(self.history_of).read(spark, source, ReadRequest(files, ONE)), source)
        return rows.selectExpr("*", *computed_columns(source)), None
