"""A catalog of Iceberg, in the Java of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import JavaPackage  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.spark.lakehouse.catalog_database import asked
from airflow_nrt.model.connectors.iceberg import parts_of
from airflow_nrt.model.tables import Table


@dataclass(frozen=True)
class IcebergPlace:
    """Where a table is. Raises InputError if the session has no Iceberg.

    Its methods raise UnreachableError if the database of the catalog does not answer.
    """

    spark: SparkSession
    table: Table

    def __post_init__(self) -> None:
        jvm: Any = self.spark._jvm
        if isinstance(java_class(jvm, "org.apache.iceberg.spark.SparkCatalog"), JavaPackage):
            raise InputError(
                f"table {self.table.name!r}: the jar of Iceberg is not in this session of Spark: `airflow-nrt prepare "
                "iceberg` fetches it before it starts"
            )

    @property
    def name(self) -> str:
        return ".".join(parts_of(self.table))

    @property
    def sql_name(self) -> str:
        return ".".join(map(quote, parts_of(self.table)))

    def exists(self) -> bool:
        with asked(self.table):
            return bool(self._catalog().tableExists(self._identifier()))

    def load(self) -> Any:
        """The table of Iceberg, with its metadata of this moment."""
        with asked(self.table):
            return self._catalog().loadTable(self._identifier())

    def _catalog(self) -> Any:
        manager = self.spark._jsparkSession.sessionState().catalogManager()
        return manager.catalog(parts_of(self.table)[0]).icebergCatalog()

    def _identifier(self) -> Any:
        jvm: Any = self.spark._jvm
        gateway: Any = self.spark.sparkContext._gateway
        _, database, table = parts_of(self.table)
        levels = gateway.new_array(java_class(jvm, "java.lang.String"), 1)
        levels[0] = database
        namespace = java_class(jvm, "org.apache.iceberg.catalog.Namespace").of(levels)
        return java_class(jvm, "org.apache.iceberg.catalog.TableIdentifier").of(namespace, table)
