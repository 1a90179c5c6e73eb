"""The interface of a dimension table: what its connector does to give its rows to lookup joins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar

from pyspark.sql import DataFrame, Observation, SparkSession

from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import Table


class Dimension(ABC):
    """Reads the dimension tables of one connector. It is stateless."""

    has_server: ClassVar[bool] = False
    """Whether a server has the tables: then the analysis of a report asks for them, too."""

    @abstractmethod
    def mark(self, spark: SparkSession, table: Table) -> Hashable:
        """What is equal as long as the rows of the table are the same. It costs no job of Spark.

        Raises InputError if the table can't be looked up, and UnreachableError if it is away.
        """

    @abstractmethod
    def rows(self, spark: SparkSession, source: Source, mark: Hashable) -> tuple[DataFrame, Observation | None]:
        """The rows of the table as it was marked, with the columns of the source; and an observation that counts what
        was `rejected`, if anything can be."""

    def explained(self, spark: SparkSession, table: Table) -> AbstractContextManager[None]:
        """Where jobs that read its rows run: what its server says becomes an error for people."""
        return nullcontext()
