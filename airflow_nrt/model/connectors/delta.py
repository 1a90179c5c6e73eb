"""Connector `delta`: a table of Delta Lake, by the options of its connector for Flink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from airflow_nrt.basics.spark_needs import EXTENSIONS
from airflow_nrt.model.connectors.lakehouse import LAKEHOUSE_OPTIONS, LakehouseConnector
from airflow_nrt.model.datasets import DatasetName, of_path
from airflow_nrt.model.options.option import Option, named, parse_boolean
from airflow_nrt.model.tables import Table

PATH, SKIP = "table-path", "skipChangeCommits"
DELTA_SETTINGS = {
    EXTENSIONS: "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Delta reads its log in so many tasks; 50, its default, take longer than the few files of a report's table need.
    "spark.databricks.delta.snapshotPartitions": "4",
    # As many tasks list its files before old ones are removed; Spark's default is 10000.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "16",
}


class Delta(LakehouseConnector):
    name = "delta"
    paths = (PATH,)
    skipping: ClassVar = {"deletes": SKIP, "overwrites": SKIP}
    options: ClassVar = named(
        (
            Option(PATH, str, None, "the directory of the table"),
            Option(SKIP, parse_boolean, False, "a source leaves out versions that delete or replace rows"),
            *LAKEHOUSE_OPTIONS,
        )
    )

    def check_place(self, table: Table) -> None:
        self.needs(table, PATH)

    def spark_settings(self, table: Table) -> Mapping[str, str]:
        return DELTA_SETTINGS

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        return (of_path(table.options[PATH]),)

    def place(self, table: Table) -> str:
        return table.options[PATH]
