"""A table of a lakehouse as a sink: results wait in the home until the log has decided, then one commit shows them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.lakehouse.explained_errors import explained
from airflow_nrt.engine.sinks.lakehouse.following import ATTEMPTS, between, follow
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable
from airflow_nrt.engine.sinks.lakehouse.ownership import check_table, claim, published_until, release, writer_of
from airflow_nrt.engine.sinks.lakehouse.taking_over import is_owned_by, take_over
from airflow_nrt.engine.sinks.sink import Decided, Maintained, Sink, Standing, Takeover, windows_keep_from_takeover
from airflow_nrt.engine.sinks.staged_parquet import in_windows, staged_parquet, staged_sample
from airflow_nrt.engine.sinks.table_versions import TableVersions
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.connectors.lakehouse import CREATE
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.options.known import read_option
from airflow_nrt.model.plan import Insert

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Lakehouse(Sink):
    """The sink of a format. `table_of` opens the table of an insert; `version` is read of it, None: the newest one."""

    table_of: Callable[[SparkSession, Insert], LakeTable]
    version: int | None = None
    publishes_entries = True
    needs_session = True

    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """Raises InputError also if the table lacks a column, or has one of another type."""
        _check_apart(home, insert)
        with explained(insert.sink):
            claim(self.table_of(spark, insert), home, _may_create(insert))

    def look(self, spark: SparkSession, insert: Insert) -> None:
        with explained(insert.sink):
            check_table(self.table_of(spark, insert), _may_create(insert))

    def release(self, spark: SparkSession | None, home: Home, insert: Insert) -> None:
        assert spark is not None
        with explained(insert.sink):
            release(self.table_of(spark, insert), home)

    def is_of(self, spark: SparkSession, insert: Insert, owner: str) -> bool:
        with explained(insert.sink):
            return is_owned_by(self.table_of(spark, insert), owner)

    def keeps_from_takeover(self, before: Insert, insert: Insert) -> str | None:
        return windows_keep_from_takeover(before, insert)

    def take_over(self, spark: SparkSession, home: Home, insert: Insert, takeover: Takeover) -> None:
        """In one commit."""
        with explained(insert.sink):
            take_over(self.table_of(spark, insert), home, takeover)

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterator[Published]:
        """Writes the values in Parquet, one file a window."""
        frame = in_windows(frame, insert, tasks)
        beside = [name for name in (OP, WINDOW_END) if name in frame.columns]
        columns = (f"CAST({quote(one.name)} AS {one.type.spark}) AS {quote(one.name)}" for one in insert.sink.physical)
        # A newer version of a window has the place of the one before.
        return staged_parquet(
            frame.selectExpr(*columns, *(beside if insert.operators else beside[:1])),
            insert,
            directory,
            state,
            lambda end: uuid.uuid4().hex if end is None else str(end),
        )

    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        """Publishes the entry, also what it removes, and those before it that the table lacks."""
        with explained(insert.sink):
            follow(self.table_of(spark, insert), home, entry)

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        """Publishes the entry, which removes the target."""
        self.publish(spark, home, insert, entry, ())

    def sample(
        self, home: Home, insert: Insert, published: Published, keys: Sequence[str], measures: Sequence[str], limit: int
    ) -> tuple[pa.Table, int] | None:
        return staged_sample(home.directory / published.staged, keys, measures, limit)

    def published_until(self, spark: SparkSession, home: Home, insert: Insert) -> int:
        with explained(insert.sink):
            return published_until(self.table_of(spark, insert), home)

    def maintain(self, spark: SparkSession, home: Home, insert: Insert, before: int) -> Maintained:
        with explained(insert.sink):
            table = self.table_of(spark, insert)
            claim(table, home, may_create=False)
            return _maintained(table, before)

    def past(self, spark: SparkSession, home: Home, insert: Insert) -> TableVersions | None:
        with explained(insert.sink):
            table = self.table_of(spark, insert)
            return table.past(writer_of(home, table))

    def at(self, version: int) -> Lakehouse:
        return replace(self, version=version)

    @property
    def is_fixed(self) -> bool:
        return self.version is not None

    def standing(self, spark: SparkSession, insert: Insert, decided: Decided, ends: Iterable[int | None]) -> Standing:
        """The rows of the table in these windows. Rows of other windows between are foreign, if the log has none."""
        wanted = sorted(end for end in set(ends) if end is not None)
        with explained(insert.sink):
            rows = self._rows(spark, insert, wanted)
            if insert.end_column is None:
                return Standing(rows)
            found = {row[0] for row in rows.select(WINDOW_END).distinct().collect()}
        known = {one.end for (name, _), one in decided.items() if name == insert.name}
        place = connector_of(insert.sink).place(insert.sink)
        foreign = {str(one): f"{place}: {format_instant(one)}" for one in found - known}
        return Standing(rows.where(F.col(WINDOW_END).isin(wanted)) if wanted else rows.where("false"), foreign)

    def foreign_rows(self, spark: SparkSession, insert: Insert, targets: Collection[str]) -> int:
        ends = sorted(int(target) for target in targets)
        return self._rows(spark, insert, ends).where(F.col(WINDOW_END).isin(ends)).count()

    def _rows(self, spark: SparkSession, insert: Insert, ends: Sequence[int]) -> DataFrame:
        """The rows of the windows from the first to the last of these; all rows where there are no windows."""
        table = self.table_of(spark, insert)
        schema = table.schema()
        if schema is None:
            raise InputError(f"table {insert.sink.name!r}: there is no table {table.name}")
        rows = table.rows(self.version)
        if insert.end_column is not None:
            rows = rows.where(between(insert, schema, ends[0], ends[-1]) if ends else "false")
        columns = (f"CAST({quote(one.name)} AS {one.type.spark}) AS {quote(one.name)}" for one in insert.sink.physical)
        return rows.selectExpr(*columns).withColumn(WINDOW_END, _end(insert.end_column))


def _end(column: str | None) -> Column:
    return F.expr("CAST(NULL AS BIGINT)" if column is None else f"unix_millis(CAST({quote(column)} AS TIMESTAMP))")


def _check_apart(home: Home, insert: Insert) -> None:
    """A format removes files below its table that it does not know. Raises InputError if the home would be such."""
    for name in connector_of(insert.sink).paths:
        if home.path.is_relative_to(insert.sink.options[name].removeprefix("file://")):
            raise InputError(
                f"table {insert.sink.name!r}: the home {home.path} is inside of its '{name}': put the home elsewhere"
            )


def _maintained(table: LakeTable, before: int) -> Maintained:
    """Compacts the table, and removes what only its versions from before this time (ms) need."""
    files = table.files()
    _compact(table)
    table.forget(before)
    return Maintained(files, table.files())


def _compact(table: LakeTable) -> None:
    """A driver may publish meanwhile: who loses a race against the other begins again."""
    for attempt in range(ATTEMPTS):
        try:
            table.compact()
            return
        except Exception as failure:
            if attempt == ATTEMPTS - 1 or not table.lost_race(failure):
                raise
            time.sleep(0.2 * 2**attempt)


def _may_create(insert: Insert) -> bool:
    return bool(read_option(insert.sink.options, connector_of(insert.sink).options, CREATE))
