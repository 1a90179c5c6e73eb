"""Two small tables, and their windows of a minute or two: what a query gives as a stream, in batch and to DuckDB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

from airflow_nrt.engine.batch.batch import insert_result
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import MINUTE, MORNING, Stream, clock, ordered, rows_of, source_file, write_lines
from tests.engine.updating.queries import folded, published_in_parquet

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


def given(spark: SparkSession, place: Path, query: str) -> dict[str, list[tuple[Any, ...]]]:
    """The rows that the query gives as a stream, whose tables come in turn, and in batch."""
    plan = published_in_parquet(plan_query(DDL, query, place), place)
    files = [
        (name, write_lines(place / name / f"{batch}.json", map(json.dumps, rows(name)[batch])))
        for batch in range(len(ROWS["l"]))
        for name in ROWS
        if any(source.name == name for source in plan.sources)
    ]
    stream = Stream(spark, plan, place / "home")
    for name, file in files:
        stream.absorb(file, source=name)
    stream.end()
    of = {source.name: [source_file(file) for name, file in files if name == source.name] for source in plan.sources}
    streamed, batch = [], []
    for insert in plan.inserts:
        streamed += folded(place / insert.name).table if insert.changes else rows_of(place / insert.name)
        names = [column.name for column in insert.sink.columns]
        batch += [tuple(row) for row in insert_result(spark, plan, insert, of).select(*names).collect()]
    return {"stream": ordered(streamed), "batch": ordered(batch)}


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
