"""Rows of VALUES, which arrive once, all in one split."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.malformed import NO_FAULT
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source, SplitEnumerator
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.home.log.splits import SourceRange, Split
from airflow_nrt.model.connectors.constants import rows_of
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.tables import LINE, Table


class Once(SplitEnumerator):
    """One split, unless it was read."""

    def __init__(self, table: Table, read: Iterable[Split]) -> None:
        self._new = [] if any(True for _ in read) else [SourceRange(table.connector, 0, 1, len(rows_of(table)))]

    def poll(self) -> list[Split]:
        new, self._new = self._new, []
        return [*new]

    def absorbed(self, splits: Iterable[Split]) -> None:
        """Nothing is kept of them."""


class Constants(Source):
    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> Once:
        return Once(table, read)

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        """The rows in the order in which the report writes them."""
        numbers = request.numbers or {}
        given = [(split.name, numbers.get(split.name), 0) for split in request.splits]
        splits = given_rows(spark, {FILE: "STRING", NUMBER: "BIGINT", BLOCK: "BIGINT"}, given)
        rows = splits.crossJoin(spark.sql(f"SELECT * FROM {rows_of(source.table)}"))
        columns = map(quote, source.physical)
        line = f"CAST(NULL AS STRING) AS {LINE}"
        return request.tasks.gathered(rows.selectExpr(*columns, line, *NO_FAULT, FILE, NUMBER, BLOCK, INDEX))

    def spellings(self, split: Split) -> tuple[str, ...]:
        return (split.name,)

    def in_ledger(self, split: Split) -> str:
        return split.name

    def change_of(self, split: Split) -> None:
        """Nothing changes them."""
