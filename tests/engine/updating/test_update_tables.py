"""Sources with a key: the newest row of each key counts, in every query, however the stream is cut."""

from __future__ import annotations

import tempfile
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
    cut,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    source_file,
    write_events,
)
from tests.engine.updating.queries import BOUNDS, emitted, folded, published_in_parquet

KEYED = events_table().replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), PRIMARY KEY (user_id) NOT ENFORCED,")
HOP = "HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)"
BEST = (
    "SELECT shop, user_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop "
    "ORDER BY price NULLS FIRST, user_id NULLS FIRST) AS n FROM {}) WHERE n <= 2"
)
SHOPS = "SELECT shop, COUNT(*) AS n, COUNT(DISTINCT item) AS items, SUM(price) AS gmv FROM events GROUP BY shop"
TOGETHER = "SELECT a.user_id, b.id FROM events AS a {} JOIN events AS b ON a.shop = b.shop AND a.item = b.item"
QUERIES = {
    "kept": ("user_id INT, id BIGINT", "SELECT user_id, id FROM events WHERE price > 20", None),
    "shops": ("shop INT, n BIGINT, items BIGINT, gmv DECIMAL(38, 2)", SHOPS, None),
    "best": ("shop INT, user_id INT", BEST.format("events"), None),
    "together": ("user_id INT, id BIGINT", TOGETHER.format("LEFT"), None),
    "windows": (
        "shop INT, s TIMESTAMP(3), n BIGINT, items BIGINT",
        f"SELECT shop, window_start, COUNT(*), COUNT(DISTINCT item) FROM {HOP} GROUP BY shop, {BOUNDS}",
        """SELECT shop, s, count(*), count(DISTINCT item) FROM (
            SELECT *, unnest([time_bucket(INTERVAL 20 MINUTE, ts) - INTERVAL (20 * n) MINUTE FOR n IN range(3)]) AS s
            FROM events) GROUP BY ALL""",
    ),
    "best_of_windows": (
        "shop INT, user_id INT",
        BEST.format("TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)").replace("BY shop", f"BY shop, {BOUNDS}"),
        BEST.format("events").replace("BY shop", "BY shop, time_bucket(INTERVAL 1 HOUR, ts)"),
    ),
}  # fmt: skip
NEWEST = "SELECT * FROM rows QUALIFY row_number() OVER (PARTITION BY user_id ORDER BY ts DESC, id DESC) = 1"


def keyed_plan(place: Path, *names: str) -> Plan:
    tables = [f"CREATE TABLE {name} ({QUERIES[name][0]}) WITH ('connector' = 'print');" for name in names]
    inserts = [f"INSERT INTO {name} {QUERIES[name][1]};" for name in names]
    return published_in_parquet(plan_of(place, KEYED, *tables, *inserts), place)


def newest(file: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        f"""CREATE TABLE rows AS SELECT * FROM read_csv('{file}', header = false, nullstr = 'NULL', columns = {{
        id: 'BIGINT', shop: 'INT', user_id: 'INT', item: 'VARCHAR', price: 'DECIMAL(10,2)', weight: 'DOUBLE',
        ts: 'TIMESTAMP'}})"""
    )
    connection.execute(f"CREATE TABLE events AS {NEWEST}")
    return connection


@pytest.mark.slow
def test_folded_it_is_the_query_over_the_newest_rows(spark, several_tasks) -> None:
    seed = 1
    events = list({one.at: one for one in random_events(seed, 90, 3 * HOUR)}.values())
    arrived = cut(arriving(events, seed, 2 * HOUR), seed, 3)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        plan = keyed_plan(place, *QUERIES)
        stream = Stream(spark, plan, place / "home")
        stream.absorb_batches(place, arrived)
        stream.end()
        everything = write_events(place / "all.csv", [event for batch in arrived for event in batch])
        asked = newest(everything)
        for insert in plan.inserts:
            _, query, instead = QUERIES[insert.name]
            batch = insert_result(spark, plan, insert, {"events": [source_file(everything)]})
            said = ordered(asked.execute(instead or query).fetchall())
            assert folded(place / insert.name).table == said, insert.name
            assert ordered(batch.drop("_nrt_after", "_nrt_key").collect()) == said, insert.name


def event(id: int, user: int | None, minute: int) -> Event:
    return Event(id, 1, user, "a", Decimal(30), 0.5, MORNING + minute * MINUTE)


def test_the_newest_is_by_rowtime_and_then_by_arrival(spark, tmp_path: Path) -> None:
    stream = Stream(spark, keyed_plan(tmp_path, "kept"), tmp_path / "home")
    stream.absorb_batches(
        tmp_path,
        [
            [event(1, 7, 10), event(2, 8, 10), event(3, None, 10)],
            [event(4, 7, 9), event(5, 8, 10), event(6, None, 11)],
            [event(7, 7, 10), event(8, 7, 10)],
        ],
    )
    assert [(op, row) for op, _, row in emitted(tmp_path / "kept")] == [
        ("+I", (7, 1)), ("+I", (8, 2)), ("+I", (None, 3)),
        ("-U", (8, 2)), ("+U", (8, 5)), ("-U", (None, 3)), ("+U", (None, 6)),
        ("-U", (7, 1)), ("+U", (7, 8)),
    ]  # fmt: skip
