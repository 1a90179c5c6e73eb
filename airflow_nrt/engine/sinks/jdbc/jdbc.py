"""A table of a database: results are files of the home until the log has decided, then rows, in one transaction."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import format_instant, parse_instant
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.java.java_class import shipped_class
from airflow_nrt.engine.sinks.held_rows import HeldRows
from airflow_nrt.engine.sinks.jdbc.commit import Batch, merge, remove
from airflow_nrt.engine.sinks.jdbc.connection import properties
from airflow_nrt.engine.sinks.jdbc.database import Database, explained, with_database
from airflow_nrt.engine.sinks.jdbc.dialects import dialect_of
from airflow_nrt.engine.sinks.jdbc.held_columns import check_columns, held_rows
from airflow_nrt.engine.sinks.jdbc.reading import ROWS_AT_ONCE, table_rows
from airflow_nrt.engine.sinks.jdbc.refusals import refusals
from airflow_nrt.engine.sinks.jdbc.tables import OP as STAGED_OP
from airflow_nrt.engine.sinks.jdbc.tables import ROW, STAGE, WINDOW, Tables, stages_of
from airflow_nrt.engine.sinks.jdbc.taking_over import Staged, take_over
from airflow_nrt.engine.sinks.jdbc.values_as_texts import text_sql, written
from airflow_nrt.engine.sinks.sink import Decided, RefusedRow, Sink, Standing, Takeover, windows_keep_from_takeover
from airflow_nrt.engine.sinks.staged_parquet import in_windows, read_staged, staged_parquet, staged_sample
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.home.set_aside import all_set_aside
from airflow_nrt.model.connectors.jdbc import TABLE
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa


class Jdbc(Sink):
    publishes_entries = True
    needs_session = True

    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """Raises InputError also if the table lacks a column, or its user a privilege.

        In a new home also if a column does not give back what is written into it.
        """

        is_new = home.log().last < 0

        def claim(database: Database) -> None:
            tables = Tables(database, insert)
            tables.ready()
            if is_new:
                check_columns(database, insert)
            tables.claim(home)

        with_database(spark, insert.sink, claim)

    def look(self, spark: SparkSession, insert: Insert) -> None:
        def ask(database: Database) -> None:
            if Tables(database, insert).check():
                check_columns(database, insert)

        with_database(spark, insert.sink, ask)

    def release(self, spark: SparkSession | None, home: Home, insert: Insert) -> None:
        assert spark is not None
        with_database(spark, insert.sink, lambda database: Tables(database, insert).release(home))

    def held(self, spark: SparkSession, insert: Insert) -> HeldRows:
        return with_database(spark, insert.sink, lambda database: held_rows(database, insert))

    def is_of(self, spark: SparkSession, insert: Insert, owner: str) -> bool:
        return with_database(spark, insert.sink, lambda database: Tables(database, insert).owner() == owner)

    def keeps_from_takeover(self, before: Insert, insert: Insert) -> str | None:
        return windows_keep_from_takeover(before, insert)

    def take_over(self, spark: SparkSession, home: Home, insert: Insert, takeover: Takeover) -> None:
        """In one transaction."""
        with_database(spark, insert.sink, lambda database: Tables(database, insert).make_beside())
        # A window without rows has no file.
        files = [one for _, one in takeover.standing if one.rows]
        if not files:
            with_database(spark, insert.sink, lambda database: take_over(database, home, insert, takeover, None))
            return
        stage = f"{stages_of(home, insert, True)}takeover-{uuid.uuid4().hex}"
        rows, count = _staged(spark, home, insert, files)
        with self._sent(spark, insert, rows, stage):
            reach("takeover-staged")
            staged = Staged(stage, count)
            with_database(
                spark, insert.sink, lambda database: take_over(database, home, insert, takeover, staged), count
            )

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterator[Published]:
        """Writes the values as texts, in Parquet, one file a window."""
        frame = in_windows(frame, insert, tasks)
        op = f"{OP} AS {STAGED_OP}" if OP in frame.columns else f"CAST(NULL AS STRING) AS {STAGED_OP}"
        texts = (f"{text_sql(column)} AS {quote(column.name)}" for column in insert.sink.physical)
        rows = frame.selectExpr(op, *texts, *([WINDOW_END] if insert.operators else []))

        def target(end: int | None) -> str:
            # Changes of a window stand beside those before, a whole window replaces them.
            name = uuid.uuid4().hex
            if end is None:
                return name
            return f"{end}-{name}" if insert.emits_changes else str(end)

        return staged_parquet(rows, insert, directory, state, target)

    def content(self, insert: Insert) -> str:
        return _content(text_sql(column) for column in insert.sink.physical)

    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        """One transaction for all files of an entry. If one is missing, all were published before."""
        # A window that did not change has no file.
        files = [one for one in files if one.rows]
        if not files or not all((home.root / one.staged).exists() for one in files):
            return
        stage = f"{stages_of(home, insert, entry.epoch is not None)}{entry.n}-{uuid.uuid4().hex}"
        rows, count = _staged(spark, home, insert, files)
        with self._sent(spark, insert, rows, stage):
            reach("jdbc-staged")
            batch = Batch(entry, stage, files, count)
            with_database(spark, insert.sink, lambda database: merge(database, home, insert, batch), count)

    def refused(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> list[RefusedRow]:
        """Writes them in a transaction that is rolled back."""
        files = [one for one in files if one.rows and (home.root / one.staged).exists()]
        if not files:
            return []
        stage = f"{stages_of(home, insert, False)}{entry.n}-{uuid.uuid4().hex}"
        rows, count = _staged(spark, home, insert, files)
        with self._sent(spark, insert, rows, stage):
            batch = Batch(entry, stage, files, count)
            said = with_database(spark, insert.sink, lambda database: refusals(database, insert, batch), count)
            with_database(spark, insert.sink, lambda database: Tables(database, insert).drop_staged(stage))
        names = [quote(column.name) for column in insert.sink.physical]
        row = f"to_json(struct({', '.join(names)}), map('ignoreNullFields', 'false'))"
        end = WINDOW_END if insert.operators else "CAST(NULL AS BIGINT)"
        found = (
            _numbered(rows, insert, stage, end)
            .where(F.col(ROW).isin([*said]))
            .selectExpr(ROW, end, _content(names), row)
        )
        return [RefusedRow(end, content, shown, said[number]) for number, end, content, shown in found.collect()]

    @contextlib.contextmanager
    def _sent(self, spark: SparkSession, insert: Insert, rows: DataFrame, stage: str) -> Iterator[None]:
        """Has the rows in the table of staged rows. They are removed if what follows fails."""
        try:
            _write(spark, insert, rows, stage)
            yield
        except NrtError:
            with contextlib.suppress(NrtError):
                with_database(spark, insert.sink, lambda database: Tables(database, insert).drop_staged(stage))
            raise

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        """Removes a window, unless this entry or a later one has published it."""
        end = target.partition("-")[0]
        if end.isdecimal():
            with_database(spark, insert.sink, lambda one: remove(one, home, insert, entry, int(end)))

    def standing(self, spark: SparkSession, insert: Insert, decided: Decided, ends: Iterable[int | None]) -> Standing:
        """The rows of the table in these windows. Rows of other windows are foreign, if the log has none there."""
        wanted = sorted(end for end in set(ends) if end is not None)
        if insert.end_column is None:
            return Standing(_read(spark, insert, "").withColumn(WINDOW_END, F.lit(None).cast("bigint")))
        between = _between(insert, wanted)
        known = {one.end for (name, _), one in decided.items() if name == insert.name}
        found = with_database(spark, insert.sink, lambda database: _ends(database, insert, between))
        foreign = {str(one): f"{insert.sink.options[TABLE]}: {format_instant(one)}" for one in found - known}
        rows = _read(spark, insert, between).withColumn(WINDOW_END, _end(insert.end_column))
        return Standing(rows.where(F.col(WINDOW_END).isin(wanted)) if wanted else rows.where("false"), foreign)

    def sample(
        self, home: Home, insert: Insert, published: Published, keys: Sequence[str], measures: Sequence[str], limit: int
    ) -> tuple[pa.Table, int] | None:
        return staged_sample(home.directory / published.staged, keys, measures, limit)

    def as_read(self, insert: Insert, rows: DataFrame) -> DataFrame:
        return rows.withColumns({one.name: F.expr(written(one)) for one in insert.sink.physical if one.type.is_string})

    def foreign_rows(self, spark: SparkSession, insert: Insert, targets: Collection[str]) -> int:
        assert insert.end_column is not None
        ends = sorted(int(target) for target in targets)
        return _read(spark, insert, _between(insert, ends)).where(_end(insert.end_column).isin(ends)).count()


def _content(texts: Iterable[str]) -> str:
    """SQL of what identifies a row: its values as texts.

    >>> print(_content(["`shop`", "`n`"]))
    to_json(array(`shop`, `n`))
    """
    return f"to_json(array({', '.join(texts)}))"


def _staged(spark: SparkSession, home: Home, insert: Insert, files: Sequence[Published]) -> tuple[DataFrame, int]:
    """The rows of staged files, without those that were set aside, and their number.

    NOT (_nrt_end <=> 1718705400000L AND to_json(array(`shop`, `n`)) = '["7",null]')
    """
    rows = read_staged(spark, insert, [home.directory / one.staged for one in files])
    aside = [one for one in all_set_aside(home) if one.insert == insert.name]
    if not aside:
        return rows, sum(one.rows for one in files)
    content = _content(quote(column.name) for column in insert.sink.physical)
    for one in aside:
        end = f"{WINDOW_END} <=> {one.end}L AND " if one.end is not None else ""
        rows = rows.where(f"NOT ({end}{content} = {string_literal(one.content)})")
    return rows, rows.count()


def _numbered(rows: DataFrame, insert: Insert, stage: str, *more: str) -> DataFrame:
    """Staged rows as they are sent. Each has a number, by which it counts once."""
    end = WINDOW_END if insert.operators else "NULL"
    return rows.selectExpr(
        STAGED_OP,
        *(quote(column.name) for column in insert.sink.physical),
        f"CAST({end} AS STRING) AS {WINDOW}",
        f"{string_literal(stage)} AS {STAGE}",
        f"monotonically_increasing_id() AS {ROW}",
        *more,
    )


def _write(spark: SparkSession, insert: Insert, rows: DataFrame, stage: str) -> None:
    """Copies staged rows into their table."""
    numbered = _numbered(rows, insert, stage)
    staged = with_database(spark, insert.sink, lambda database: Tables(database, insert).staged)
    _send(spark, insert.sink, numbered, staged)


def _end(column: str) -> Column:
    return F.expr(f"unix_millis(CAST({quote(column)} AS TIMESTAMP))")


def _between(insert: Insert, ends: Sequence[int]) -> str:
    """SQL of the database for rows of windows from the first of these to the last.

    WHERE "e" BETWEEN '2024-06-18 10:10:00' AND '2024-06-18 10:20:00'
    """
    if not ends:
        return " WHERE 1 = 0"
    dialect = dialect_of(insert.sink)
    first, last = (dialect.literal(format_instant(one)) for one in (ends[0], ends[-1]))
    return f" WHERE {dialect.name(insert.end_column or '')} BETWEEN {first} AND {last}"


def _read(spark: SparkSession, insert: Insert, where: str) -> DataFrame:
    """The rows, with NULL in columns that are not read back."""
    unread = with_database(spark, insert.sink, lambda database: held_rows(database, insert)).unread
    rows = table_rows(spark, insert.sink, [one for one in insert.sink.physical if one.name not in unread], where)
    columns = (
        f"CAST(NULL AS {one.type.spark}) AS {quote(one.name)}" if one.name in unread else quote(one.name)
        for one in insert.sink.physical
    )
    return rows.selectExpr(*columns)


def _ends(database: Database, insert: Insert, where: str) -> set[int | None]:
    """The windows of which there are rows."""
    assert insert.end_column is not None
    column = database.dialect.time(database.dialect.name(insert.end_column))
    table = database.dialect.table(insert.sink.options[TABLE])
    return {parse_instant(row[0]) for row in database.rows(f"SELECT DISTINCT {column} FROM {table}{where}")}


def _send(spark: SparkSession, sink: Table, rows: DataFrame, table: str) -> None:
    """Appends the rows to `table`, a quoted name, in the database of `sink`. A row may be there twice if a task fails.

    Raises InputError and UnreachableError.
    """
    dialect = dialect_of(sink)
    made = shipped_class(spark, dialect.sender) if dialect.sender else None
    with explained(spark, sink):
        if made is None:
            _insert(sink, rows, table)
            return
        texts: Any = rows.select(*(F.col(name).cast("string") for name in rows.columns))
        columns = ", ".join(map(dialect.name, rows.columns))
        statement = f"COPY {table} ({columns}) FROM STDIN"
        made.send(texts._jdf.queryExecution().toRdd(), dialect.url(sink), properties(sink), statement)


def _insert(sink: Table, rows: DataFrame, table: str) -> None:
    dialect = dialect_of(sink)
    options = {
        **properties(sink),
        **dialect.faster,
        "url": dialect.url(sink),
        "driver": dialect.driver,
        "dbtable": table,
        "batchsize": ROWS_AT_ONCE,
        "isolationLevel": "READ_COMMITTED",
    }
    rows.write.format("jdbc").options(**options).mode("append").save()
