"""What is to be read of a source at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.splits import SourceFile, SourceRange, Split, files_of, ranges_of
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.asked_partitions import PartitionFilter


@dataclass(frozen=True)
class ReadRequest:
    """Splits to read in so many `tasks`: few rows are in one.

    `numbers` are those of the splits by name, where the order of rows matters. Rows of partitions that are not `asked`
    for may be left out; None asks for all. `schemas` is where the home keeps the schemas of writers, None without one.
    """

    splits: Sequence[Split]
    tasks: Tasks
    numbers: Mapping[str, int] | None = None
    asked: PartitionFilter | None = None
    schemas: StorePath | None = None

    @property
    def files(self) -> tuple[SourceFile, ...]:
        return files_of(self.splits)

    @property
    def ranges(self) -> tuple[SourceRange, ...]:
        return ranges_of(self.splits)

    def of(self, splits: Sequence[Split]) -> ReadRequest:
        """The same of other splits."""
        return replace(self, splits=splits)
