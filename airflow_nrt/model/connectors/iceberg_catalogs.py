"""Catalogs of Iceberg, by Flink's 'catalog-type': what says which metadata of a table are its newest."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.datasets import DatasetName, in_warehouse, of_database
from airflow_nrt.model.tables import Table

WAREHOUSE, URI, CLIENT = "warehouse", "uri", "jdbc."
_PATIENCE = {f"{CLIENT}connectTimeout": "10", f"{CLIENT}loginTimeout": "10", f"{CLIENT}socketTimeout": "60"}
"""Seconds after which a database is one that does not answer: its driver would wait for a lock for ever."""
_DATABASE = re.compile(r"jdbc:postgresql://\S+")


class Catalog(ABC):
    needs: ClassVar[tuple[str, ...]]
    """Its options that have no default."""

    def check(self, table: Table) -> None:
        """Raises InputError if the options of the table don't say which catalog it is."""
        missing = next((name for name in self.needs if not table.options.get(name)), None)
        if missing is not None:
            raise InputError(f"table {table.name!r} needs the option '{missing}'")

    @abstractmethod
    def settings(self, table: Table) -> Mapping[str, str]:
        """What Iceberg is told of it."""

    @abstractmethod
    def symlink(self, table: Table, name: str) -> DatasetName:
        """What lineage calls a table of it by its `database.table`."""

    def jars(self, table: Table) -> tuple[str, ...]:
        """What it needs beside Iceberg's."""
        return ()


class Hadoop(Catalog):
    """A directory: a table's newest metadata are those with the highest number."""

    needs = (WAREHOUSE,)

    def check(self, table: Table) -> None:
        super().check(table)
        other = next((name for name in table.options if name == URI or name.startswith(CLIENT)), None)
        if other is not None:
            raise InputError(f"table {table.name!r}: '{other}' is of another type of catalogs: leave it out")

    def settings(self, table: Table) -> Mapping[str, str]:
        return {"type": "hadoop", WAREHOUSE: table.options[WAREHOUSE]}

    def symlink(self, table: Table, name: str) -> DatasetName:
        return in_warehouse(table.options[WAREHOUSE], name)


class Jdbc(Catalog):
    """Rows of a PostgreSQL, which lets one of two commits win, whoever makes them."""

    needs = (URI, WAREHOUSE)

    def check(self, table: Table) -> None:
        super().check(table)
        if _DATABASE.fullmatch(table.options[URI]) is None:
            raise InputError(
                f"table {table.name!r}: '{URI}' of a catalog of type jdbc has the form "
                "'jdbc:postgresql://host:5432/database': other databases are not there yet"
            )

    def settings(self, table: Table) -> Mapping[str, str]:
        client = {name: text for name, text in table.options.items() if name.startswith(CLIENT)}
        return {"type": "jdbc", URI: table.options[URI], WAREHOUSE: table.options[WAREHOUSE], **_PATIENCE, **client}

    def symlink(self, table: Table, name: str) -> DatasetName:
        return of_database(table.options[URI], name)

    def jars(self, table: Table) -> tuple[str, ...]:
        return ("postgresql",)


CATALOGS: dict[str, Catalog] = {"hadoop": Hadoop(), "jdbc": Jdbc()}
