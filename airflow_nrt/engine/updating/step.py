"""The interface of updating operators with groups: what is stored of rows, how it is merged, what results from it."""

from __future__ import annotations

from typing import Protocol

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks


class Step(Protocol):
    """The state is groups of equal `keys`; `columns` are the stored columns, including the keys."""

    @property
    def keys(self) -> tuple[str, ...]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def needs_position(self) -> bool:
        """Whether it needs the places of rows on arrival."""
        ...

    @property
    def identity(self) -> tuple[str, ...] | None:
        """The columns that identify what is rewritten as a whole, so that its newest version counts; None if nothing
        is written twice."""
        return self.keys

    @property
    def reads_again(self) -> bool:
        """Whether `judged` and `results` read the merged rows several times."""
        return False

    @property
    def needed(self) -> str | None:
        """SQL of the last watermark (ms) at which a row is needed; it grows each time that the row is rewritten. None
        if it does not follow from the row."""
        return None

    def fresh(self, rows: DataFrame) -> DataFrame:
        """Rows of the input queries as they are stored."""
        ...

    def touched(self, fresh: DataFrame) -> DataFrame:
        """The distinct keys of the groups whose state must be read."""
        return fresh.select(*self.keys).distinct()

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        """The stored and the fresh rows of the touched groups, before and after the batch."""
        ...

    def judged(self, merged: DataFrame) -> DataFrame:
        """The same, with columns that depend on all merged rows."""
        return merged

    def kept(self, merged: DataFrame) -> DataFrame:
        """The rows to write."""
        ...

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        """The operator's result where it can have changed, before and after the batch."""
        ...
