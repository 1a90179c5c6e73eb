"""Connector `blackhole`: takes rows of any kind, and keeps none."""

from __future__ import annotations

from airflow_nrt.model.connectors.connector import SinkOnly
from airflow_nrt.model.options.known import EVERY_SINK
from airflow_nrt.model.options.option import named
from airflow_nrt.model.tables import Table


class Blackhole(SinkOnly):
    name = "blackhole"
    options = named(EVERY_SINK)
    keeps_rows = False

    def check_sink(self, table: Table) -> None:
        self.check_options(table)

    def place(self, table: Table) -> str:
        return "nowhere"

    def takes_changes_as_such(self, table: Table) -> bool:
        return True
