"""Small reports and their data: what the tests of the engine run, and how they read what it published."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.batch import batch as computing
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.splits import SourceFile, Split
from airflow_nrt.model.input.policy import policies_of
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.sql.load import plan_script

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
EPOCH = datetime(1970, 1, 1)
MORNING = 1_718_668_800_000
"""2024-06-18 00:00:00."""
DELAY = 5 * MINUTE
"""How far the watermark of `events` lags."""

# ---------------------------------------------------------------------------------------------------- rows


@dataclass(frozen=True)
class Event:
    """A row of `events`. `weight` is a multiple of 0.25, so that its sums are exact in any order; `at` is in ms."""

    id: int
    shop: int | None
    user: int | None
    item: str | None
    price: Decimal | None
    weight: float | None
    at: int

    @property
    def line(self) -> str:
        fields = (self.id, self.shop, self.user, self.item, self.price, self.weight, clock(self.at))
        return ",".join("NULL" if field is None else str(field) for field in fields)


def clock(ms: int) -> str:
    return (EPOCH + timedelta(milliseconds=ms)).isoformat(sep=" ", timespec="milliseconds")


def random_events(seed: int, count: int, span: int, start: int = MORNING) -> list[Event]:
    """Rows in `[start, start + span)` by rowtime: few shops and users, so that values meet again, and some NULLs."""
    chance = random.Random(seed)

    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.06 else value

    times = sorted(start + chance.randrange(span) for _ in range(count))
    return [
        Event(
            id=n,
            shop=maybe(chance.randint(1, 3)),
            user=maybe(chance.randint(1, 12)),
            item=maybe(chance.choice("abcdef")),
            price=maybe(Decimal(chance.randint(-500, 9999)).scaleb(-2)),
            weight=maybe(chance.randint(-40, 40) / 4),
            at=at,
        )
        for n, at in enumerate(times)
    ]


def arriving(events: Sequence[Event], seed: int, jitter: int, late: float = 0.0, lateness: int = HOUR) -> list[Event]:
    """The order of arrival: a row arrives up to `jitter` ms after its rowtime, a share of rows up to `lateness`.

    No row is late where `jitter` is at most the delay of the watermark.
    """
    chance = random.Random(seed)

    def arrival(event: Event) -> int:
        return event.at + chance.randrange(lateness if chance.random() < late else jitter)

    return sorted(events, key=arrival)


def cut(events: Sequence[Event], seed: int, batches: int) -> list[list[Event]]:
    """The rows in so many batches, each of at least one row."""
    places = sorted(random.Random(seed).sample(range(1, len(events)), batches - 1))
    return [list(events[a:b]) for a, b in zip([0, *places], [*places, len(events)])]


def write_events(path: Path, events: Iterable[Event]) -> Path:
    return write_lines(path, (event.line for event in events))


def write_lines(path: Path, lines: Iterable[str], at: int = 0) -> Path:
    """Writes a file as writers must: aside, then renamed. `at` (ns), if given, becomes its modification time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}")
    aside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if at:
        os.utime(aside, ns=(at, at))
    return aside.rename(path)


# ---------------------------------------------------------------------------------------------------- reports

AGGREGATES = {
    "n": ("BIGINT", "COUNT(*)"),
    "prices": ("BIGINT", "COUNT(price)"),
    "users": ("BIGINT", "COUNT(DISTINCT user_id)"),
    "items": ("BIGINT", "COUNT(DISTINCT item)"),
    "dear_users": ("BIGINT", "COUNT(DISTINCT user_id) FILTER (WHERE price > 50)"),
    "dear": ("BIGINT", "COUNT(*) FILTER (WHERE price > 50)"),
    "gmv": ("DECIMAL(38, 2)", "SUM(price)"),
    "user_sum": ("INT", "SUM(DISTINCT user_id)"),
    "least": ("DOUBLE", "MIN(weight)"),
    "most": ("DECIMAL(10, 2)", "MAX(price)"),
    "mean": ("DOUBLE", "AVG(weight)"),
}
"""Columns of a sink: the type, and the aggregate over a window of `events`; DuckDB reads these the same."""

FEW = {name: AGGREGATES[name] for name in ("n", "users", "gmv")}


def options(**given: str) -> str:
    """`csv__null_literal='x'` as an option list of a table."""
    return ", ".join(f"'{name.replace('__', '.').replace('_', '-')}' = '{text}'" for name, text in given.items())


def events_table(name: str = "events", **given: str) -> str:
    table = {"connector": "filesystem", "path": f"${{DATA}}/{name}", "format": "csv", "csv__null_literal": "NULL"}
    return f"""
CREATE TABLE {name} (
    id BIGINT, shop INT, user_id INT, item STRING, price DECIMAL(10, 2), weight DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES
) WITH ({options(**{**table, **given})});"""


def curve_insert(
    window: str,
    aggregates: Mapping[str, tuple[str, str]] = AGGREGATES,
    name: str = "curve",
    source: str = "events",
    **given: str,
) -> str:
    """A sink and the INSERT into it: aggregates by shop over a windowing such as `TUMBLE(…, INTERVAL '1' HOUR)`."""
    table = {"connector": "filesystem", "path": f"${{DATA}}/{name}", "format": "parquet"}
    columns = ", ".join(f"{column} {kind}" for column, (kind, _) in aggregates.items())
    calls = ", ".join(f"{call} AS {column}" for column, (_, call) in aggregates.items())
    function, _, arguments = window.partition("(")
    return f"""
CREATE TABLE {name} (shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), {columns})
WITH ({options(**{**table, **given})});
INSERT INTO {name} SELECT shop, window_start, window_end, {calls}
FROM TABLE({function}(TABLE {source}, DESCRIPTOR(ts), {arguments}) GROUP BY shop, window_start, window_end;"""


def plan_of(place: Path, *statements: str, name: str = "report") -> Plan:
    """The plan of a report whose tables lie below `place`."""
    return plan_script("\n".join(statements), {"DATA": str(place)}, name, place)


# ---------------------------------------------------------------------------------------------------- running


def source_file(path: Path) -> SourceFile:
    stat = path.stat()
    return SourceFile(str(path), stat.st_size, stat.st_mtime_ns)


class Stream:
    """A report streamed batch by batch in this process. A new `Stream` on the same home is a restarted driver."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Path, clock: Callable[[], int] = now_ms) -> None:
        self.plan = plan
        self.home = Home.create(home, plan)
        for insert in plan.inserts:
            sink_of(insert).check(spark, self.home, insert)
        writer = Writer.begin(self.home.log(), Lease("here", 0, "test", policies_of(plan)))
        self.driver = StreamDriver(report_session(spark, plan), plan, self.home, writer, clock)
        self.driver.recover()

    def absorb(self, *paths: Path, source: str = "events") -> None:
        self.driver.absorb(source, [source_file(path) for path in paths])

    def absorb_batches(self, place: Path, batches: Sequence[Sequence[Event]], source: str = "events") -> None:
        """One file a batch, below `place/<source>`."""
        first = len(list((place / source).glob("*.csv")))
        for n, batch in enumerate(batches, first):
            self.absorb(write_events(place / source / f"{n:03d}.csv", batch), source=source)

    def end(self) -> None:
        for source in self.plan.sources:
            self.driver.note(source.name, ended=True)

    @property
    def entries(self) -> list[Entry]:
        return list(self.home.log().audit())

    @property
    def firings(self) -> int:
        """How many entries published windows."""
        return sum(1 for entry in self.entries if entry.published)


def rows_of(directory: Path, file_format: str = "parquet") -> list[tuple[Any, ...]]:
    """What DuckDB reads of a sink's directory, sorted."""
    pattern = f"{directory}/**/*.{file_format}"
    if not list(directory.rglob(f"*.{file_format}")):
        return []
    reader = {"parquet": "read_parquet", "json": "read_json", "csv": "read_csv"}[file_format]
    return ordered(duckdb.sql(f"SELECT * FROM {reader}('{pattern}', hive_partitioning = true)").fetchall())


def ordered(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in rows), key=lambda row: tuple((value is not None, value) for value in row))


# ---------------------------------------------------------------------------------------------------- beside others


def duckdb_events(file: Path) -> duckdb.DuckDBPyConnection:
    """A database with the rows of a file of `events`, and their place in it as `line`."""
    connection = duckdb.connect()
    connection.execute(
        f"""CREATE TABLE events AS SELECT *, row_number() OVER () AS line FROM read_csv('{file}', header = false,
        nullstr = 'NULL', columns = {{id: 'BIGINT', shop: 'INT', user_id: 'INT', item: 'VARCHAR',
        price: 'DECIMAL(10,2)', weight: 'DOUBLE', ts: 'TIMESTAMP'}})"""
    )
    return connection


def insert_result(spark: SparkSession, plan: Plan, insert: Insert, splits: Mapping[str, Sequence[Split]]) -> DataFrame:
    """The batch's rows of an insert, in a session of their own: the result is computed when it is read."""
    return computing.insert_result(report_session(spark, plan), plan, insert, splits)


def batch_results(spark: SparkSession, plan: Plan, file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """By insert, the rows that the batch computes of a file of `events`."""
    files = {"events": [source_file(file)]}
    return {
        one.name: ordered(insert_result(spark, plan, one, files).drop("_nrt_end").collect()) for one in plan.inserts
    }
