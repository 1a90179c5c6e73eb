"""Rows of VALUES beside those of tables: a table that no report declares. Its rows arrive once."""

from __future__ import annotations

from typing import ClassVar

from airflow_nrt.model.connectors.connector import SourceOnly
from airflow_nrt.model.options.known import EVERY_SOURCE
from airflow_nrt.model.options.option import named
from airflow_nrt.model.tables import Column, Table

INDEX = "_nrt_index"
"""The column with the place of a row among the others."""
_ROWS = "rows"


class Constants(SourceOnly):
    name = "values"
    options: ClassVar = named(EVERY_SOURCE)

    def check_source(self, table: Table) -> None:
        """The rows were checked where the report writes them."""

    def place(self, table: Table) -> str:
        return "VALUES of the report"


def table_of(name: str, columns: tuple[Column, ...], rows: str) -> Table:
    """The table of these `rows`, a FROM item of Spark SQL with `_nrt_index`. What they mean is in the query."""
    return Table(name, columns, Constants.name, options={_ROWS: rows})


def rows_of(table: Table) -> str:
    return table.options[_ROWS]
