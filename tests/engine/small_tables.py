"""Two small tables, and their windows of a minute or two: what a query gives as a stream, in batch and to DuckDB."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

from airflow_nrt.engine.sources import arrived
from tests.engine.reports import (
    MINUTE,
    MORNING,
    Stream,
    clock,
    insert_result,
    ordered,
    rows_of,
    source_file,
    write_lines,
)
from tests.engine.updating.queries import folded, published_in_parquet
from tests.golden.together import plan_together

SIZES = {"w": 1, "ww": 2}
"""By what a view's name ends with, the minutes of its windows."""
DDL = "".join(
    f"CREATE TABLE {name} (k INT, {number}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
    f"WITH ('connector' = 'filesystem', 'path' = '{name}', 'format' = 'json');"
    + "".join(
        f"CREATE VIEW {name}{end} AS SELECT * FROM TABLE(TUMBLE(TABLE {name}, DESCRIPTOR(ts), INTERVAL '{n}' MINUTE));"
        for end, n in SIZES.items()
    )
    for name, number in (("l", "n INT"), ("r", "m BIGINT"))
)
"""Nothing is late: the rows of each batch are after those of the batches before."""
ROWS: dict[str, list[list[tuple[int | None, int | None]]]] = {
    "l": [[(1, 10), (2, 20), (2, 20), (None, 5)], [(1, 11), (3, 30), (4, None), (2, 20)]],
    "r": [[(2, 20), (5, 50)], [(1, 11), (1, 10), (None, 5), (3, None), (2, 20)]],
}
"""By table and batch, `k` and the number."""


def rows(name: str) -> list[list[dict[str, Any]]]:
    number = "n" if name == "l" else "m"
    return [
        [{"k": k, number: n, "ts": clock(MORNING + batch * MINUTE + at)} for at, (k, n) in enumerate(lines)]
        for batch, lines in enumerate(ROWS[name])
    ]


Rows = dict[str, list[tuple[Any, ...]]]
"""Of a query, by mode: `stream` and `batch`."""


@dataclass
class Given:
    """The rows of queries. Those of a module's tests run as one report, with the first that is asked for.

    `queries` are those of the tests that were selected. Any other runs alone.
    """

    spark: SparkSession
    place: Path
    queries: Sequence[str]
    rows: dict[str, Rows] = field(default_factory=dict)

    def __call__(self, query: str) -> Rows:
        """Raises what the query raises alone, or else what all of them raise together."""
        if query not in self.rows:
            queries = self.queries if query in self.queries else [query]
            try:
                self.rows.update(self._together(queries))
            except Exception:
                if len(queries) > 1:
                    self._together([query])
                raise
        return self.rows[query]

    def _together(self, queries: Sequence[str]) -> dict[str, Rows]:
        place = self.place / str(len(list(self.place.iterdir())))
        return rows_together(self.spark, place, queries)


def rows_together(spark: SparkSession, place: Path, queries: Sequence[str]) -> dict[str, Rows]:
    """The rows that each query gives in one stream, whose tables come in turn, and in batch."""
    names = {f"q{n}": query for n, query in enumerate(queries)}
    plan = published_in_parquet(plan_together(DDL, names, place), place)
    splits = [
        (name, source_file(write_lines(place / name / f"{batch}.json", map(json.dumps, rows(name)[batch]))))
        for batch in range(len(ROWS["l"]))
        for name in ROWS
        if any(source.name == name for source in plan.sources)
    ]
    # Those of VALUES arrive between the others.
    values = (source for source in plan.sources if source.name not in ROWS)
    splits[1:1] = [(source.name, split) for source in values for split in arrived(spark, source.table)]
    stream = Stream(spark, plan, place / "home")
    for name, split in splits:
        stream.driver.absorb(name, [split])
    stream.end()
    of = {source.name: [split for name, split in splits if name == source.name] for source in plan.sources}
    found: dict[str, Rows] = {query: {"stream": [], "batch": []} for query in queries}
    for insert in plan.inserts:
        # A UNION ALL of different windows is several inserts: q1, q1_2.
        rows_of_query = found[names[insert.name.partition("_")[0]]]
        rows_of_query["stream"] += folded(place / insert.name).table if insert.changes else rows_of(place / insert.name)
        columns = [column.name for column in insert.sink.columns]
        batch = insert_result(spark, plan, insert, of).select(*columns).collect()
        rows_of_query["batch"] += [tuple(row) for row in batch]
    return {query: {mode: ordered(some) for mode, some in by_mode.items()} for query, by_mode in found.items()}


def said_by_duckdb(query: str) -> list[tuple[Any, ...]]:
    connection = duckdb.connect()
    for name, number in (("l", "n INT"), ("r", "m BIGINT")):
        connection.execute(f"CREATE TABLE {name} (k INT, {number}, ts TIMESTAMP)")
        connection.executemany(
            f"INSERT INTO {name} VALUES (?, ?, ?)", [list(row.values()) for batch in rows(name) for row in batch]
        )
        for end, n in SIZES.items():
            start = f"time_bucket(INTERVAL {n} MINUTE, ts)"
            connection.execute(
                f"CREATE VIEW {name}{end} AS SELECT *, {start} AS window_start, {start} + INTERVAL {n} MINUTE AS "
                f"window_end, {start} + INTERVAL {n * MINUTE - 1} MILLISECOND AS window_time FROM {name}"
            )
    return ordered(connection.execute(query).fetchall())
