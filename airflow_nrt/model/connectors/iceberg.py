"""Connector `iceberg`: a table of Apache Iceberg, by the options of its connector for Flink."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from airflow_nrt.model.connectors.lakehouse import LAKEHOUSE_OPTIONS, LakehouseConnector
from airflow_nrt.model.datasets import DatasetName, in_warehouse, of_path
from airflow_nrt.model.options.option import Option, Refusal, named, only, parse_boolean
from airflow_nrt.model.tables import Table

CATALOG, TYPE, WAREHOUSE, DATABASE, TABLE = (
    "catalog-name",
    "catalog-type",
    "warehouse",
    "catalog-database",
    "catalog-table",
)
SKIP_DELETES, SKIP_OVERWRITES = "streaming-skip-delete-snapshots", "streaming-skip-overwrite-snapshots"
_OTHERS = "catalogs of type 'hadoop' alone are there yet: set 'catalog-type' = 'hadoop' and 'warehouse'"
_RESERVED = "spark_catalog"


def _catalog(text: str) -> str:
    if re.fullmatch(r"[A-Za-z_]\w*", text) is None or text == _RESERVED:
        raise ValueError(f"{text!r} is no name of a catalog: take letters, digits and _, and not {_RESERVED!r}")
    return text


class Iceberg(LakehouseConnector):
    name = "iceberg"
    paths = (WAREHOUSE,)
    skipping: ClassVar = {"deletes": SKIP_DELETES, "overwrites": SKIP_OVERWRITES}
    options: ClassVar = named(
        (
            Option(CATALOG, _catalog, None, "the catalog, by a name of your own"),
            Option(TYPE, only("hadoop", _OTHERS), None, "of the catalog: hadoop"),
            Option(WAREHOUSE, str, None, "the directory of the catalog"),
            Option(DATABASE, str, "default_database", "the database in the catalog"),
            Option(TABLE, str, None, "the table in the database; default: the name of the report's table"),
            Option("catalog-impl", Refusal(_OTHERS), None, "a catalog of your own"),
            Option("uri", Refusal(_OTHERS), None, "of a metastore or a server"),
            Option(SKIP_DELETES, parse_boolean, False, "a source leaves out snapshots that delete rows"),
            Option(SKIP_OVERWRITES, parse_boolean, False, "a source leaves out snapshots that replace rows"),
            *LAKEHOUSE_OPTIONS,
        )
    )

    def check_place(self, table: Table) -> None:
        # Flink takes 'hive' where no type is given, so there is no default.
        self.needs(table, CATALOG, TYPE, WAREHOUSE)

    def spark_settings(self, table: Table) -> Mapping[str, str]:
        catalog = f"spark.sql.catalog.{table.options[CATALOG]}"
        return {
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.type": "hadoop",
            f"{catalog}.warehouse": table.options[WAREHOUSE],
            # Else a session does not see what another one has written.
            f"{catalog}.cache-enabled": "false",
        }

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        _, database, name = parts_of(table)
        return (of_path(f"{table.options[WAREHOUSE].rstrip('/')}/{database}/{name}"),)

    def symlinks(self, table: Table) -> tuple[DatasetName, ...]:
        _, database, name = parts_of(table)
        return (in_warehouse(table.options[WAREHOUSE], f"{database}.{name}"),)

    def place(self, table: Table) -> str:
        return f"{'.'.join(parts_of(table))} in {table.options[WAREHOUSE]}"


def parts_of(table: Table) -> tuple[str, str, str]:
    """The catalog, the database and the table."""
    database = table.options.get(DATABASE) or Iceberg.options[DATABASE].default
    return table.options[CATALOG], database, table.options.get(TABLE) or table.name
