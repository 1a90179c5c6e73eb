"""The interface of a dimension table: what its connector does to give its rows to lookup joins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import Table


class Dimension(ABC):
    """Reads the dimension tables of one connector. It is stateless."""

    @abstractmethod
    def mark(self, spark: SparkSession, table: Table) -> Hashable:
        """What is equal as long as the rows of the table are the same. It costs no job of Spark.

        Raises InputError if the table can't be read.
        """

    @abstractmethod
    def read(self, spark: SparkSession, source: Source, mark: Hashable) -> DataFrame:
        """The rows of the table as it was marked, with the columns of `Source.read` in `engine/sources/source.py`."""
