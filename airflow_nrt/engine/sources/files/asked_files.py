"""What is asked of files of one table, whatever their format is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, MOST_INDEX, NUMBER
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.asked_partitions import PartitionFilter
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import MODIFIED, SIZE, Column, Table

_PLACE = (
    f"_metadata.file_path AS {FILE}",
    f"CAST(NULL AS BIGINT) AS {NUMBER}",
    f"_metadata.file_block_start AS {BLOCK}",
)
# Spark's id of a row without the number of its partition, because one partition reads a block.
COUNTED = f"monotonically_increasing_id() & {MOST_INDEX}L AS {INDEX}"
_METADATA = (f"_metadata.file_size AS {SIZE}", f"_metadata.file_modification_time AS {MODIFIED}")


@dataclass(frozen=True)
class AskedFiles:
    """`stored` are the columns that are in the files, `wanted` those of them that are read, `partitions` those that are
    in the names of directories. `place` is SQL of where a row stands."""

    spark: SparkSession
    table: Table
    files: tuple[SourceFile, ...]
    tasks: Tasks
    asked: PartitionFilter | None
    stored: tuple[Column, ...]
    wanted: tuple[Column, ...]
    partitions: tuple[Column, ...]
    place: tuple[str, ...]

    @classmethod
    def of(cls, spark: SparkSession, source: Source, request: ReadRequest) -> AskedFiles:
        table = source.table
        stored = tuple(column for column in table.physical if column.name not in table.partition_keys)
        wanted = tuple(column for column in stored if column.name in source.physical)
        partitions = tuple(column for column in table.physical if column.name in table.partition_keys)
        place = (*_PLACE, *_METADATA) if any(source.table.column(c).metadata for c in source.columns) else _PLACE
        return cls(spark, table, request.files, request.tasks, request.asked, stored, wanted, partitions, place)

    def reader(self, columns: Sequence[Column]) -> Any:
        """Spark's reader of files with these columns, some of which may be in the names of directories."""
        options = {"basePath": self.table.path} if self.partitions else {}
        schema = ", ".join(f"{quote(column.name)} {column.type.spark}" for column in columns)
        return self.spark.read.options(**options).schema(schema if columns else StructType())

    def of_partitions(self, rows: DataFrame) -> DataFrame:
        """The rows of partitions that are asked for. Spark prunes files by a filter here, but not after the row
        index."""
        return rows if self.asked is None else rows.where(self.asked.sql)
