"""A new sink: a table of a SQLite file, exactly once, because the rows of a window are replaced in one transaction."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.sink import Decided, Sink, Standing
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.connectors.connector import SinkOnly
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.options.known import EVERY_SINK, SINK_OPTIONS
from airflow_nrt.model.options.option import named
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Table


class SqliteConnector(SinkOnly):
    """Of windows alone, whose rows it keeps as JSON."""

    name = "sqlite"
    options = named((*EVERY_SINK, SINK_OPTIONS["path"]))

    def check_sink(self, table: Table) -> None:
        self.check_options(table)
        if "path" not in table.options:
            raise InputError(f"table {table.name!r} needs the option 'path'")

    def place(self, table: Table) -> str:
        return table.path


class Sqlite(Sink):
    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        with sqlite3.connect(insert.sink.path) as database:
            database.execute("CREATE TABLE IF NOT EXISTS owner (id TEXT PRIMARY KEY)")
            database.execute("CREATE TABLE IF NOT EXISTS rows (target TEXT, ends INTEGER, value TEXT)")
            database.execute("INSERT INTO owner SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)", [home.identity().id])
            (owner,) = database.execute("SELECT id FROM owner").fetchone()
        if owner != home.identity().id:
            raise InputError(f"table {insert.sink.name!r}: another home publishes to {insert.sink.path}")

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterator[Published]:
        names = ", ".join(quote(column.name) for column in insert.sink.physical)
        rows = frame.repartition(tasks, WINDOW_END) if tasks > 1 else frame.coalesce(1)
        path = directory / insert.name
        rows.selectExpr(f"to_json(struct({names})) AS value", WINDOW_END).write.partitionBy(WINDOW_END).text(str(path))
        for file in sorted(path.rglob("part-*.txt")):
            content = file.read_bytes()
            end = int(file.parent.name.partition("=")[2])
            start = insert.window.start(end) if insert.window is not None else None
            checksum = hashlib.blake2b(content, digest_size=16).hexdigest()
            staged = str(file.relative_to(directory.parent.parent))
            yield Published(insert.name, start, end, state, content.count(b"\n"), checksum, staged, str(end))

    def publish(
        self,
        spark: SparkSession,
        home: Home,
        insert: Insert,
        entry: Entry,
        files: Sequence[Published],
    ) -> None:
        (published,) = files
        try:
            lines = (home.path / published.staged).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        with sqlite3.connect(insert.sink.path) as database:
            database.execute("DELETE FROM rows WHERE target = ?", [published.target])
            rows = [(published.target, published.end, line) for line in lines]
            database.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows)

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        with sqlite3.connect(insert.sink.path) as database:
            database.execute("DELETE FROM rows WHERE target = ?", [target])

    def standing(self, spark: SparkSession, insert: Insert, decided: Decided, ends: Iterable[int | None]) -> Standing:
        wanted = set(ends)
        with sqlite3.connect(insert.sink.path) as database:
            rows = database.execute("SELECT target, ends, value FROM rows").fetchall()
        mine = [(value, end) for _, end, value in rows if end in wanted]
        foreign = {
            target: f"{insert.sink.path}: {target}" for target, *_ in rows if (insert.name, target) not in decided
        }
        kinds = ", ".join(f"{quote(column.name)} {column.type.spark}" for column in insert.sink.physical)
        found = given_rows(spark, {"value": "STRING", WINDOW_END: "BIGINT"}, mine)
        return Standing(
            found.selectExpr(f"from_json(value, '{kinds}') AS r", WINDOW_END).select("r.*", WINDOW_END), foreign
        )


CONNECTOR, SINK = SqliteConnector(), Sqlite()
