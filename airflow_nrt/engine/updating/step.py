"""What one kind of updating operator does: how rows are kept, what they are merged with, what results from both."""

from __future__ import annotations

from typing import Protocol

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks


class Step(Protocol):
    """State stands in groups of equal `keys`; `columns` are all that is kept, the keys among them."""

    @property
    def keys(self) -> tuple[str, ...]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def needs_position(self) -> bool:
        """Whether it reads where rows stood on arrival."""
        ...

    @property
    def identity(self) -> tuple[str, ...] | None:
        """What is written anew as a whole, so that its newest version counts; None if nothing is written twice."""
        return self.keys

    @property
    def reads_again(self) -> bool:
        """Whether `judged` and `results` read what is merged several times."""
        return False

    @property
    def needed(self) -> str | None:
        """SQL of the last watermark (ms) at which a row is needed, greater each time that it is written anew; None if
        that does not follow from the row."""
        return None

    def fresh(self, rows: DataFrame) -> DataFrame:
        """Rows of the input queries to what is kept of them."""
        ...

    def touched(self, fresh: DataFrame) -> DataFrame:
        """The keys of the groups whose state must be read, each once."""
        return fresh.select(*self.keys).distinct()

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        """What was read of the state, and what came, as it was before and as it is behind the batch."""
        ...

    def judged(self, merged: DataFrame) -> DataFrame:
        """The same with what can only be told once everything is there."""
        return merged

    def kept(self, merged: DataFrame) -> DataFrame:
        """What is to be written of it."""
        ...

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        """The operator's result where it can have changed, before and behind."""
        ...
