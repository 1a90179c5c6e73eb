"""The result of `insert_into`: an insert that is declared when it is executed, or joins a statement set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_nrt.table.checks.arguments import Complete, checked_name
from airflow_nrt.table.checks.call_site import here

if TYPE_CHECKING:
    from airflow_nrt.model.result_timing import OutputOptions
    from airflow_nrt.table.tables.declaration import Declaration
    from airflow_nrt.table.tables.rows import Rows


class TablePipeline(Complete):
    called = "an insert"

    def __init__(self, table: Rows, target: str, options: OutputOptions | None = None) -> None:
        self.table = table
        self.options = options
        self.target = checked_name("insert_into takes the name of a table", target)
        self.at = here()
        self.is_used = False
        table.environment.pipelines.append(self)

    def execute(self) -> Declaration:
        """Declares the insert."""
        self.is_used = True
        return self.table.environment.add_insert(self.target, self.table, self.options)

    def explain(self, as_json: bool = False) -> str:
        """The plan in words, or as JSON."""
        self.is_used = True
        environment = self.table.environment
        return environment.explained_inserts([environment.insert_of(self.target, self.table, self.options)], as_json)

    def print_explain(self) -> None:
        print(self.explain())
