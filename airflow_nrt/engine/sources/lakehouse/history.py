"""The history of a table: which files each of its versions has added."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.log.splits import SourceFile, TableVersion
from airflow_nrt.model.tables import Table

DELETES, OVERWRITES = "deletes", "overwrites"
"""What a version does to rows that were there before."""


@dataclass(frozen=True)
class Version:
    """A version: the files with rows that it adds, and what it does to others (None: nothing).

    One that only puts the same rows into other files adds none.
    """

    number: int
    added: tuple[str, ...]
    change: str | None = None


class TableHistory(ABC):
    """The versions of one table, each with a number of its own.

    Its methods raise InputError if the table is missing, if it can't be read file by file, or if a version is gone.
    """

    def __init__(self, spark: SparkSession, table: Table) -> None:
        self.spark = spark
        self.table = table

    @abstractmethod
    def schema(self) -> StructType:
        """The columns of the table now."""

    @abstractmethod
    def newest(self) -> int:
        """The number of the newest version. It costs no job of Spark."""

    def now(self) -> Version:
        """All rows of the table, as one version."""
        return self.at(self.newest())

    @abstractmethod
    def at(self, number: int) -> Version:
        """All rows that the table had in a version, as one version."""

    @abstractmethod
    def only(self, number: int) -> Version:
        """This version alone."""

    @abstractmethod
    def after(self, number: int) -> Sequence[Version]:
        """The versions after this one, in their order."""

    @property
    @abstractmethod
    def partition_keys(self) -> tuple[str, ...]:
        """The columns that stand in the names of directories, and not in the files."""

    def lost(self, what: str, way_out: str) -> InputError:
        """The error for a part of the history that is gone before it was read."""
        return InputError(
            f"table {self.table.name!r}: {what} no longer in its history, and may have rows that were not read: "
            f"{way_out}. Begin a new home, which reads the table as it is now"
        )

    def unfit(self, what: str) -> InputError:
        return InputError(
            f"table {self.table.name!r}: it has {what}, so that its files are not its rows: write it anew without, or "
            "read a copy"
        )


def source_files(version: Version, paths: Iterable[str]) -> list[SourceFile]:
    """These files of a version as they are on disk. Raises InputError if one is gone already."""
    found = []
    for path in paths:
        try:
            stat = os.stat(path)
        except FileNotFoundError:
            raise InputError(
                f"the file {Path(path)} of version {version.number} was removed before it was read: keep the files of "
                "older versions for longer, and begin a new home"
            ) from None
        of = TableVersion(version.number, len(version.added))
        found.append(SourceFile(path, stat.st_size, stat.st_mtime_ns, version=of))
    return found
