"""A table of a lakehouse as a source: the log lists its data files, and a batch reads exactly these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import _parse_datatype_string

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.filesystem import Filesystem
from airflow_nrt.engine.sources.lakehouse.arrivals import TableArrivals
from airflow_nrt.engine.sources.lakehouse.history import TableHistory, source_files
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source
from airflow_nrt.home.log.splits import SourceFile, Split, files_of
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.tables import Table

_FILES = Filesystem()


@dataclass(frozen=True)
class LakehouseSource(Source):
    """The source of a format. `history_of` opens the history of a table."""

    history_of: Callable[[SparkSession, Table], TableHistory]
    needs_session = True

    def check(self, spark: SparkSession, table: Table) -> None:
        """Raises InputError also if the table lacks a column, or has one of another type."""
        found = {field.name: field.dataType for field in self.history_of(spark, table).schema().fields}
        for column in table.physical:
            if column.name not in found:
                raise InputError(f"table {table.name!r}: it has no column {column.name!r}; it has {', '.join(found)}")
            kind = found[column.name]
            if kind.simpleString() != _parse_datatype_string(column.type.spark).simpleString():
                raise InputError(
                    f"table {table.name!r}: its column {column.name!r} is {kind.simpleString().upper()} (in Spark's "
                    f"words), and is declared as {column.type.flink}: declare it as it is"
                )

    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> TableArrivals:
        assert spark is not None
        return TableArrivals(self.history_of(spark, table), files_of(read))

    def standing(self, spark: SparkSession, table: Table, read: Sequence[SourceFile]) -> list[SourceFile]:
        history, known = self.history_of(spark, table), {one.path for one in read}
        first = next((one.version for one in read if one.version is not None), None)
        whole = history.now() if first is None else history.at(first.number)
        return source_files(whole, (path for path in whole.added if path not in known))

    def times(self, table: Table, split: Split) -> tuple[int, int] | None:
        return _FILES.times(replace(table, options={**table.options, "format": "parquet"}), split)

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        return read_files(spark, self._as_files(spark, source), request)

    def _as_files(self, spark: SparkSession, source: PlannedSource) -> PlannedSource:
        """The same columns, read from files of Parquet."""
        table = source.table
        declared = {column.name for column in table.physical}
        keys = tuple(name for name in self.history_of(spark, table).partition_keys if name in declared)
        options = {"connector": "filesystem", "path": table.options[connector_of(table).paths[0]], "format": "parquet"}
        return replace(source, table=replace(table, connector="filesystem", partition_keys=keys, options=options))

    def spellings(self, split: Split) -> tuple[str, ...]:
        return _FILES.spellings(split)

    def in_ledger(self, split: Split) -> str:
        return _FILES.in_ledger(split)

    def change_of(self, split: Split) -> str | None:
        return _FILES.change_of(split)

    def gone(self, split: Split) -> str:
        return (
            f"the file {split.name} of a table was read and is gone: a VACUUM, or the expiry of snapshots, removed it, "
            "and nothing proves its windows any more"
        )
