"""A table of a lakehouse, whatever its format is: what it has, and the commits that publish into it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.table_versions import TableVersions
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.plan import Insert

CHANGES = "nrt_changes"
"""The view of the rows that a MERGE reads."""


@dataclass(frozen=True)
class Mark:
    """The log entry that a commit publishes, and the home and the insert that it is of."""

    writer: str
    entry: int


class LakeTable(ABC):
    """The table of an insert, as it is now. It may be missing.

    Each commit carries a mark, and is visible with it or not at all. Of two processes that make the commit of one mark
    at a time, one fails.
    """

    def __init__(self, spark: SparkSession, insert: Insert) -> None:
        self.spark = spark
        self.insert = insert

    @property
    @abstractmethod
    def name(self) -> str:
        """Its place, for people."""

    @property
    @abstractmethod
    def sql_name(self) -> str:
        """Its name in SQL."""

    @abstractmethod
    def schema(self) -> StructType | None:
        """Its columns; None if there is no table. Raises InputError if something else is in its place."""

    @abstractmethod
    def create(self, columns: str, properties: Mapping[str, str]) -> None:
        """Creates it with these columns, in SQL, partitioned as the report says. Another process may be faster."""

    @abstractmethod
    def properties(self) -> Mapping[str, str]:
        """Its properties."""

    @abstractmethod
    def set_properties(self, properties: Mapping[str, str]) -> None:
        """Adds properties, or replaces them."""

    @abstractmethod
    def remove_properties(self, names: Iterable[str]) -> None:
        """Removes properties."""

    @abstractmethod
    def published(self, writer: str) -> int | None:
        """The entry of the last mark of this writer, None if there is none."""

    @abstractmethod
    def past(self, writer: str) -> TableVersions | None:
        """Its versions up to now, with the entries of this writer; None if it has no version yet."""

    @abstractmethod
    def rows(self, version: int | None = None) -> DataFrame:
        """Its rows; those of the newest version unless another one is given."""

    @abstractmethod
    def append(self, rows: DataFrame, mark: Mark) -> None:
        """Adds rows that have its columns."""

    @abstractmethod
    def replace(self, rows: DataFrame | None, condition: str, mark: Mark) -> None:
        """Replaces the rows for which a condition of SQL holds; None: by no rows."""

    @abstractmethod
    def merge(self, rows: DataFrame, mark: Mark) -> None:
        """Replaces and adds rows by the primary key, and deletes those with `_nrt_op` '-D'. A key has one row."""

    @abstractmethod
    def files(self) -> int:
        """The number of files with its rows."""

    @abstractmethod
    def compact(self) -> None:
        """Puts its rows into few files. No reader sees a difference, and marks stay."""

    @abstractmethod
    def forget(self, before: int) -> None:
        """Removes what only versions from before this time (ms of the wall clock) need. Marks stay."""

    @abstractmethod
    def lost_race(self, failure: Exception) -> bool:
        """Whether a commit failed because of another one, so that it may be tried again."""

    def merge_sql(self, target: str) -> str:
        """MERGE of the view `nrt_changes` into a table of this name.

        MERGE INTO lake.curve t USING nrt_changes s ON t.`shop` <=> s.`shop` AND t.`e` <=> s.`e` WHEN MATCHED AND
          s._nrt_op = '-D' THEN DELETE WHEN MATCHED THEN UPDATE SET t.`shop` = s.`shop`, t.`e` = s.`e`, t.`total` =
          s.`total` WHEN NOT MATCHED AND s._nrt_op <> '-D' THEN INSERT (`shop`, `e`, `total`) VALUES (s.`shop`,
          s.`e`, s.`total`)
        """
        key = self.insert.sink.primary_key
        columns = [quote(column.name) for column in self.insert.sink.physical]
        same = " AND ".join(f"t.{quote(name)} <=> s.{quote(name)}" for name in key)
        values = ", ".join(f"t.{name} = s.{name}" for name in columns)
        added = ", ".join(f"s.{name}" for name in columns)
        return (
            f"MERGE INTO {target} t USING {CHANGES} s ON {same} WHEN MATCHED AND s.{OP} = '-D' THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET {values} "
            f"WHEN NOT MATCHED AND s.{OP} <> '-D' THEN INSERT ({', '.join(columns)}) VALUES ({added})"
        )
