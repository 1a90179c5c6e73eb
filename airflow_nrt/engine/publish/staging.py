"""Staging: results are written to files that no reader sees until the log has decided on them."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.engine.publish.update_tables import UpdateTables
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.changelog import in_update_form
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.written.directory_names import new_name
from airflow_nrt.model.plan import Insert


@dataclass(frozen=True)
class Staging:
    """Stages below `staged/` of a home. The names of the directories there begin with `epoch`."""

    home: Home
    epoch: int
    tables: UpdateTables
    fitting: Fitting

    def stage(self, insert: Insert, frame: DataFrame, state: str, windows: int = 1) -> list[Published]:
        """Stages the rows of an insert that its sink can take, which have at most so many windows."""
        made, _ = self.fitting.stage(insert, frame, lambda fit: self._fitting(insert, fit, state, windows))
        return made

    def _fitting(self, insert: Insert, frame: DataFrame, state: str, windows: int) -> list[Published]:
        if insert.changes and insert.sink.primary_key:
            frame = in_update_form(frame, insert.query.fields, insert.sink.primary_key)
        tasks = self.tables.store.tasks.count
        if insert.replaces_table:
            return self.tables.stage(insert, frame, lambda rows: self._written(insert, rows, state, tasks))
        return self._written(insert, frame, state, min(windows, tasks))

    def _written(self, insert: Insert, frame: DataFrame, state: str, tasks: int) -> list[Published]:
        directory = self.home.staged.local / new_name(self.epoch)
        return list(sink_of(insert).stage(frame, insert, directory, state, tasks))
