"""Connector `iceberg`: a table of Apache Iceberg, by the options of its connector for Flink."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from airflow_nrt.model.connectors.iceberg_catalogs import CATALOGS, CLIENT, URI, WAREHOUSE, Catalog
from airflow_nrt.model.connectors.lakehouse import LAKEHOUSE_OPTIONS, LakehouseConnector
from airflow_nrt.model.datasets import DatasetName, of_path
from airflow_nrt.model.options.option import Option, Refusal, free, named, parse_boolean
from airflow_nrt.model.tables import Table

CATALOG, TYPE, DATABASE, TABLE = "catalog-name", "catalog-type", "catalog-database", "catalog-table"
SKIP_DELETES, SKIP_OVERWRITES = "streaming-skip-delete-snapshots", "streaming-skip-overwrite-snapshots"
_OTHERS = "catalogs of type 'hadoop' and 'jdbc' are there yet: set 'catalog-type' to one of them"
_RESERVED = "spark_catalog"


def _catalog(text: str) -> str:
    if re.fullmatch(r"[A-Za-z_]\w*", text) is None or text == _RESERVED:
        raise ValueError(f"{text!r} is no name of a catalog: take letters, digits and _, and not {_RESERVED!r}")
    return text


def _type(text: str) -> str:
    if text.lower() not in CATALOGS:
        raise ValueError(f"{text!r} is not there: {_OTHERS}")
    return text.lower()


class Iceberg(LakehouseConnector):
    name = "iceberg"
    paths = (WAREHOUSE,)
    skipping: ClassVar = {"deletes": SKIP_DELETES, "overwrites": SKIP_OVERWRITES}
    options: ClassVar = named(
        (
            Option(CATALOG, _catalog, None, "the catalog, by a name of your own"),
            Option(TYPE, _type, None, "of the catalog: hadoop or jdbc"),
            Option(WAREHOUSE, str, None, "the directory of the catalog"),
            Option(DATABASE, str, "default_database", "the database in the catalog"),
            Option(TABLE, str, None, "the table in the database; default: the name of the report's table"),
            Option("catalog-impl", Refusal(_OTHERS), None, "a catalog of your own"),
            *free(
                Option(URI, str, None, "of the database of a catalog of type jdbc"),
                Option(f"{CLIENT}*", str, None, "of that database's driver: jdbc.user, jdbc.password"),
            ),
            Option(SKIP_DELETES, parse_boolean, False, "a source leaves out snapshots that delete rows"),
            Option(SKIP_OVERWRITES, parse_boolean, False, "a source leaves out snapshots that replace rows"),
            *LAKEHOUSE_OPTIONS,
        )
    )

    def check_place(self, table: Table) -> None:
        # Flink takes 'hive' where no type is given, so there is no default.
        self.needs(table, CATALOG, TYPE)
        _catalog_of(table).check(table)

    def spark_settings(self, table: Table) -> Mapping[str, str]:
        catalog = f"spark.sql.catalog.{table.options[CATALOG]}"
        return {
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            **{f"{catalog}.{name}": text for name, text in _catalog_of(table).settings(table).items()},
            # Else a session does not see what another one has written.
            f"{catalog}.cache-enabled": "false",
        }

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        _, database, name = parts_of(table)
        return (of_path(f"{table.options[WAREHOUSE].rstrip('/')}/{database}/{name}"),)

    def symlinks(self, table: Table) -> tuple[DatasetName, ...]:
        _, database, name = parts_of(table)
        return (_catalog_of(table).symlink(table, f"{database}.{name}"),)

    def jars(self, table: Table) -> tuple[str, ...]:
        return (self.name, *_catalog_of(table).jars(table))

    def place(self, table: Table) -> str:
        return f"{'.'.join(parts_of(table))} in {table.options[WAREHOUSE]}"


def _catalog_of(table: Table) -> Catalog:
    return CATALOGS[table.options[TYPE].lower()]


def parts_of(table: Table) -> tuple[str, str, str]:
    """The catalog, the database and the table."""
    database = table.options.get(DATABASE) or Iceberg.options[DATABASE].default
    return table.options[CATALOG], database, table.options.get(TABLE) or table.name
