"""Connector `print`: rows on standard output, or standard error."""

from __future__ import annotations

from airflow_nrt.model.connectors.connector import SinkOnly
from airflow_nrt.model.options.known import PRINT_OPTIONS
from airflow_nrt.model.tables import Table


class Print(SinkOnly):
    name = "print"
    options = PRINT_OPTIONS
    keeps_rows = False

    def check_sink(self, table: Table) -> None:
        self.check_options(table)

    def place(self, table: Table) -> str:
        return "standard output"

    def takes_changes_as_such(self, table: Table) -> bool:
        return True
