"""Queries that combine windows: in any cut of the stream, with late rows, they are what the batch gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import (
    HOUR,
    Stream,
    batch_results,
    duckdb_events,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    rows_of,
    source_file,
    write_events,
)
from tests.engine.windows.streamed import BOUNDS, any_cut, streamed, windowed

pytestmark = pytest.mark.usefixtures("several_tasks")

TEN_MINUTES = "TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
GROWING = "CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"
QUERIES = {
    "best": windowed(
        "shop INT, item STRING, n BIGINT, place BIGINT",
        f"""SELECT shop, item, n, place, {BOUNDS} FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY {BOUNDS} ORDER BY n DESC) AS place FROM (
                SELECT a.shop, b.item, a.n, a.window_start, a.window_end
                FROM (SELECT shop, COUNT(*) AS n, {BOUNDS} FROM {GROWING} GROUP BY shop, {BOUNDS}) a
                LEFT JOIN (
                    SELECT shop, MAX(item) AS item, {BOUNDS} FROM {GROWING} WHERE price > 50 GROUP BY shop, {BOUNDS}) b
                ON a.window_start = b.window_start AND a.window_end = b.window_end AND a.shop = b.shop))
        WHERE place <= 3""",
    ),
    "latest": windowed(
        "id BIGINT, shop INT",
        f"""SELECT id, shop, {BOUNDS} FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY {BOUNDS}, shop ORDER BY ts DESC) AS n FROM {TEN_MINUTES})
        WHERE n = 1""",
    ),
    "hours": windowed(
        "parts BIGINT, users BIGINT",
        f"""SELECT COUNT(*), SUM(users), {BOUNDS} FROM TABLE(HOP(TABLE (
            SELECT shop, COUNT(DISTINCT user_id) AS users, window_time AS at
            FROM {TEN_MINUTES} GROUP BY shop, {BOUNDS}, window_time
        ), DESCRIPTOR(at), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)) GROUP BY {BOUNDS}""",
    ),
    "alike": windowed(
        "n BIGINT, place BIGINT",
        f"""SELECT n, place, {BOUNDS} FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY {BOUNDS} ORDER BY n) AS place FROM TABLE(TUMBLE(TABLE (
                SELECT n, at FROM (
                    SELECT shop, COUNT(*) AS n, window_time AS at
                    FROM {TEN_MINUTES} GROUP BY shop, {BOUNDS}, window_time)
            ), DESCRIPTOR(at), INTERVAL '1' HOUR)))""",
    ),
    "sets": windowed(
        "shop INT, item STRING, users BIGINT, gid BIGINT",
        f"""SELECT shop, item, COUNT(DISTINCT user_id), GROUPING_ID(shop, item), {BOUNDS}
        FROM {TEN_MINUTES} GROUP BY {BOUNDS}, CUBE (shop, item)""",
    ),
    "unsold": windowed(
        "id BIGINT",
        f"""SELECT id, {BOUNDS} FROM (SELECT * FROM {TEN_MINUTES}) a WHERE NOT EXISTS (
            SELECT 1 FROM (SELECT * FROM {TEN_MINUTES}) b WHERE a.window_start = b.window_start
            AND a.window_end = b.window_end AND b.user_id = a.user_id AND b.price > a.price)""",
    ),
}  # fmt: skip
OLDER = "HOP(at, INTERVAL '20' MINUTE, INTERVAL '1' HOUR)"
STATELESS = {
    "older": windowed(
        "n BIGINT",
        f"""WITH tens AS (
            SELECT COUNT(*) AS n, TUMBLE_ROWTIME(ts, INTERVAL '10' MINUTE) AS at FROM events
            GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE))
        SELECT SUM(n), {OLDER.replace("HOP", "HOP_START")}, {OLDER.replace("HOP", "HOP_END")} FROM tens
        GROUP BY {OLDER} HAVING SUM(n) > 1""",
    ),
    "alike_by_comma": windowed(
        "id BIGINT, other BIGINT",
        f"""SELECT a.id, b.id, a.window_start, a.window_end
        FROM (SELECT * FROM {TEN_MINUTES}) AS a CROSS JOIN (SELECT * FROM {TEN_MINUTES}) AS b
        WHERE a.window_start = b.window_start AND b.window_end = a.window_end AND a.shop = b.shop AND a.price < b.price
        AND a.id > 20""",
    ),
    "twice": windowed(
        "n BIGINT",
        f"""SELECT COUNT(*), {BOUNDS} FROM {TEN_MINUTES} GROUP BY {BOUNDS}
        UNION ALL SELECT COUNT(*), {BOUNDS} FROM {TEN_MINUTES} GROUP BY {BOUNDS}""",
    ),
    "ranked": windowed(
        "id BIGINT, place BIGINT",
        f"SELECT id, ROW_NUMBER() OVER (PARTITION BY {BOUNDS} ORDER BY id), {BOUNDS} FROM {TEN_MINUTES}",
    ),
    "pairs": windowed("shop INT, item STRING", f"SELECT DISTINCT shop, item, {BOUNDS} FROM {TEN_MINUTES}"),
}


def insert(name: str) -> str:
    return {**QUERIES, **STATELESS}[name].insert(name)


@pytest.mark.thorough
@pytest.mark.timeout(900)
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, seed: int, batches: int) -> None:
    _, verdict, written = streamed(spark, [insert(name) for name in QUERIES], 200, seed, batches)
    assert verdict.is_proven, verdict
    assert verdict.late_rows > 0
    assert all(one.rows["equal"] > 0 for one in verdict.inserts), verdict
    assert sum(one.rows["explained"] for one in verdict.inserts) > 0, verdict
    assert all(written.values())


def test_batch_is_what_duckdb_says(spark, tmp_path: Path) -> None:
    events = random_events(9, 300, 3 * HOUR)
    file = write_events(tmp_path / "events" / "all.csv", events)
    plan = plan_of(tmp_path, events_table(), *(insert(name) for name in (*QUERIES, *STATELESS)))
    results = batch_results(spark, plan, file)
    connection = duckdb_events(file)
    connection.execute(
        """CREATE TABLE tens AS
        SELECT *, time_bucket(INTERVAL 10 MINUTE, ts) AS s, s + INTERVAL 10 MINUTE AS e FROM events"""
    )

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    assert results["latest"] == said(
        "SELECT id, shop, s, e FROM tens "
        "QUALIFY row_number() OVER (PARTITION BY s, shop ORDER BY ts DESC, line DESC) = 1"
    )
    assert results["alike_by_comma"] == said(
        "SELECT a.id, b.id, a.s, a.e FROM tens a, tens b WHERE a.s = b.s AND a.shop = b.shop AND a.price < b.price "
        "AND a.id > 20"
    )
    assert results["sets"] == said(
        "SELECT shop, item, count(DISTINCT user_id), grouping(shop, item), s, e "
        "FROM tens GROUP BY s, e, CUBE (shop, item)"
    )
    assert results["alike"] == said(
        """WITH parts AS (SELECT count(*) AS n, s FROM tens GROUP BY shop, s),
        hours AS (SELECT n, time_bucket(INTERVAL 1 HOUR, s) AS h FROM parts)
        SELECT n, row_number() OVER (PARTITION BY h ORDER BY n), h, h + INTERVAL 1 HOUR FROM hours"""
    )
    assert results["unsold"] == said(
        "SELECT id, s, e FROM tens a WHERE NOT EXISTS (SELECT 1 FROM tens b WHERE a.s = b.s "
        "AND b.user_id = a.user_id AND b.price > a.price)"
    )
    connection.execute(
        """CREATE TABLE ends AS SELECT e - INTERVAL 1 HOUR AS b, e FROM (
        SELECT unnest(generate_series(time_bucket(INTERVAL 20 MINUTE, min(s)), max(s) + INTERVAL 1 HOUR,
        INTERVAL 20 MINUTE)) AS e FROM tens)"""
    )
    assert results["hours"] == said(
        """WITH parts AS (SELECT count(DISTINCT user_id) AS users, s FROM tens GROUP BY shop, s)
        SELECT count(*), sum(users)::BIGINT, b, e FROM ends JOIN parts ON s >= b AND s < e GROUP BY b, e"""
    )
    assert results["older"] == said(
        "SELECT count(*), b, ends.e FROM ends JOIN tens ON s >= b AND s < ends.e GROUP BY b, ends.e HAVING count(*) > 1"
    )
    assert results["twice"] == said(
        "SELECT count(*), s, e FROM tens GROUP BY s, e UNION ALL SELECT count(*), s, e FROM tens GROUP BY s, e"
    )
    assert results["pairs"] == said("SELECT DISTINCT shop, item, s, e FROM tens")


@pytest.mark.parametrize("batches", [1, 2])
def test_rows_that_look_alike_stay_apart(spark, tmp_path: Path, batches: int) -> None:
    """Two files hold one and the same row."""
    same = random_events(1, 1, HOUR) * 2
    plan = plan_of(tmp_path, events_table(), insert("ranked"))
    files = [write_events(tmp_path / "events" / f"{n}.csv", [event]) for n, event in enumerate(same)]
    stream = Stream(spark, plan, tmp_path / "home")
    for first in range(0, 2, 2 // batches):
        stream.absorb(*files[first : first + 2 // batches])
    stream.end()
    batch = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file) for file in files]})
    assert [row.place for row in batch.orderBy("place").collect()] == [1, 2]
    assert rows_of(tmp_path / "ranked") == ordered(batch.drop("_nrt_end").collect())
    assert verify(spark, plan, stream.home).is_proven
