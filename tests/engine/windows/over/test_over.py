"""OVER by time: the same in any cut of the stream, with late rows; and what DuckDB says."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.state import compaction
from airflow_nrt.home.log.position.state_kinds import FiredRows
from tests.engine.reports import (
    DELAY,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    batch_results,
    duckdb_events,
    events_table,
    ordered,
    plan_of,
    random_events,
    rows_of,
    write_events,
)
from tests.engine.windows.streamed import Case, any_cut, streamed

QUERIES = {
    "last_hour": Case(
        "id BIGINT, n BIGINT, gmv DECIMAL(38, 2), mean DOUBLE, earliest BIGINT",
        """SELECT id, COUNT(*) OVER w, SUM(price) OVER w, AVG(weight) OVER w, FIRST_VALUE(id) OVER w FROM events
        WINDOW w AS (PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW)""",
    ),
    "last_rows": Case(
        "id BIGINT, most DECIMAL(10, 2), users BIGINT, before BIGINT, paid DECIMAL(10, 2)",
        """SELECT id, MAX(price) OVER w, COUNT(DISTINCT user_id) OVER w, LAG(id) OVER (PARTITION BY item ORDER BY ts),
            LAG(price, 1, 0.5) OVER (PARTITION BY item ORDER BY ts)
        FROM events WHERE user_id < 10 WINDOW w AS (PARTITION BY item ORDER BY ts ROWS 4 PRECEDING)""",
    ),
    "several": Case(
        "id BIGINT, here BIGINT, everywhere BIGINT, gmv DECIMAL(38, 2), number BIGINT, users BIGINT, items STRING",
        """SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS 3 PRECEDING),
            COUNT(price) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND CURRENT ROW),
            SUM(price) OVER w, ROW_NUMBER() OVER (PARTITION BY item ORDER BY ts), COUNT(DISTINCT user_id) OVER w,
            LISTAGG(item) OVER w
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts)""",
    ),
    "numbered": Case(
        "id BIGINT, number BIGINT",
        "SELECT id, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY ts) FROM events WHERE price > 20",
    ),
    "anew": Case(
        "id BIGINT, n BIGINT, gmv DECIMAL(38, 2)",
        """SELECT id, COUNT(*) OVER w, SUM(price) OVER w FROM events WINDOW w AS (
            PARTITION BY shop, FLOOR(EXTRACT(EPOCH FROM ts) / CAST(600 AS DOUBLE))
            ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW)""",
    ),
    "around": Case(
        "id BIGINT, n BIGINT, gmv DECIMAL(38, 2), most DECIMAL(10, 2), users BIGINT, here BIGINT, before BIGINT",
        """SELECT id, COUNT(*) OVER w, SUM(price) OVER w, MAX(price) OVER w, COUNT(DISTINCT user_id) OVER w,
            COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS 3 PRECEDING), LAG(id) OVER (PARTITION BY shop ORDER BY ts)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts
            RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND INTERVAL '2:30' MINUTE TO SECOND FOLLOWING)""",
    ),
    "soon": Case(
        "id BIGINT, n BIGINT, users BIGINT, next BIGINT",
        """SELECT id, COUNT(*) OVER w, COUNT(DISTINCT user_id) OVER w, COUNT(*) OVER (
            ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL '1' MINUTE FOLLOWING)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts
            RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL '5' MINUTE FOLLOWING)""",
    ),
    "next": Case(
        "id BIGINT, n BIGINT, gmv DECIMAL(38, 2), users BIGINT, here BIGINT, so_far BIGINT, next BIGINT, third BIGINT, "
        "items BIGINT, last STRING",
        """SELECT id, COUNT(*) OVER w, SUM(price) OVER w, COUNT(DISTINCT user_id) OVER w,
            COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING),
            COUNT(DISTINCT item) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING),
            LEAD(id) OVER (PARTITION BY shop ORDER BY ts), LEAD(id, 3, -1) OVER (PARTITION BY shop ORDER BY ts),
            COUNT(DISTINCT item) OVER (PARTITION BY shop ORDER BY ts), MAX(item) OVER (PARTITION BY shop ORDER BY ts)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING)""",
    ),
    "last_but_one": Case(
        "id BIGINT, total DECIMAL(38, 2), until BIGINT",
        """SELECT id, SUM(price) OVER w, MAX(id) OVER w FROM events
        WINDOW w AS (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)""",
    ),
    "in_parts": Case(
        "id BIGINT, next BIGINT, shops DECIMAL(38, 2), items BIGINT, lately BIGINT, soon BIGINT, before BIGINT, most "
        "DECIMAL(10, 2)",
        """SELECT id, LEAD(id) OVER (PARTITION BY shop ORDER BY ts),
            SUM(price) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING),
            COUNT(DISTINCT user_id) OVER (
                PARTITION BY item ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING),
            COUNT(*) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW),
            COUNT(*) OVER (PARTITION BY item ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL '3' MINUTE FOLLOWING),
            LAG(id) OVER (PARTITION BY shop, item ORDER BY ts), MAX(price) OVER (ORDER BY ts)
        FROM events WHERE user_id < 10""",
    ),
    "in_parts_above": Case(
        "shop INT, n BIGINT, next BIGINT, lately BIGINT",
        """SELECT shop, n, LEAD(n) OVER (PARTITION BY shop ORDER BY window_time), SUM(n) OVER (
            PARTITION BY shop ORDER BY window_time RANGE BETWEEN INTERVAL '20' MINUTE PRECEDING AND CURRENT ROW)
        FROM (SELECT shop, COUNT(*) AS n, window_time FROM TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE)
            GROUP BY window_start, window_end, window_time, shop)""",
    ),
    "above_and_below": Case(
        "dear BIGINT, lately BIGINT, before BIGINT, different BIGINT, many BIGINT",
        """SELECT dear, SUM(dear) OVER (w ROWS 2 PRECEDING), LAG(dear, 1, 0) OVER w, SUM(DISTINCT dear) OVER w,
            COUNT(*) FILTER (WHERE dear > 2) OVER w
        FROM (
            SELECT COUNT(*) FILTER (WHERE n > 2) AS dear, window_time FROM TABLE(TUMBLE(TABLE (
                SELECT ts, COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS 3 PRECEDING) AS n FROM events
            ), DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, window_time
        ) WINDOW w AS (ORDER BY window_time)""",
    ),
}  # fmt: skip
STREAMED = (
    "last_hour", "several", "numbered", "around", "soon", "next", "last_but_one", "in_parts_above", "above_and_below",
)  # fmt: skip


def insert(name: str) -> str:
    return QUERIES[name].insert(name)


@pytest.mark.thorough
@pytest.mark.timeout(900)
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, seed: int, batches: int) -> None:
    plan, verdict, written = streamed(spark, [insert(name) for name in STREAMED], 100, seed, batches)
    assert verdict.is_proven, verdict
    assert {one.operator for one in verdict.ledgers if one.found} == {o.name for o in plan.operators if o.sources}
    assert all(written.values())


def test_rows_that_went_by_are_kept_as_one_partial_a_key(spark, tmp_path: Path, monkeypatch) -> None:
    """However many there are, and in however many pieces: the pieces are merged as they grow in number."""
    monkeypatch.setattr(compaction, "FANOUT", 2)
    query = """SELECT id, COUNT(*) OVER w, SUM(price) OVER w, COUNT(DISTINCT item) OVER w, LAG(id) OVER w FROM events
    WINDOW w AS (PARTITION BY shop ORDER BY ts)"""
    case = Case("id BIGINT, n BIGINT, gmv DECIMAL(38, 2), items BIGINT, before BIGINT", query)
    plan = plan_of(tmp_path, events_table(), case.insert("sums"))
    events = [Event(n, n % 2, 1, "ab"[n % 3 // 2], None, None, MORNING + n * MINUTE) for n in range(40)]
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [events[:12], events[12:20], events[20:40]])
    closed = stream.driver.position.operators["w1"].closed
    heads = FiredRows.of(closed).heads
    # Two shops, with two items each; of the rows the last of each shop, for LAG.
    assert sum(file.rows for file in heads) <= 2 * (2 + 4) and sum(f.rows for f in closed if f not in heads) == 2
    stream.end()
    found = {row[0]: row[1:] for row in rows_of(tmp_path / "sums")}
    assert found == {
        e.id: (n + 1, None, len({one.item for one in shop[: n + 1]}), shop[n - 1].id if n else None)
        for shop in (events[::2], events[1::2])
        for n, e in enumerate(shop)
    }


def test_a_row_waits_for_what_follows(spark, tmp_path: Path) -> None:
    """And what comes when the watermark has passed it is late, though frames that would hold it have not fired."""
    query = """SELECT id, COUNT(*) OVER (ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL '1' MINUTE FOLLOWING)
    FROM events"""
    plan = plan_of(tmp_path, events_table(), Case("id BIGINT, n BIGINT", query).insert("soon"))
    stream = Stream(spark, plan, tmp_path / "home")
    times = [[0, 30_000, DELAY + MINUTE - 1], [DELAY + MINUTE], [40_000], [DELAY + 2 * MINUTE]]
    shown = []
    for batch, at in enumerate(times):
        events = [Event(10 * batch + n, 1, 1, "a", None, None, MORNING + ms) for n, ms in enumerate(at)]
        stream.absorb(write_events(tmp_path / "events" / f"{batch}.csv", events))
        shown.append(rows_of(tmp_path / "soon"))
    assert shown == [[], [(0, 2)], [(0, 2)], [(0, 2), (1, 1)]]
    assert stream.driver.position.late == 1
    stream.end()
    assert rows_of(tmp_path / "soon") == [(0, 2), (1, 1), (2, 2), (10, 2), (30, 1)]


def test_a_row_waits_for_a_number_of_rows(spark, tmp_path: Path) -> None:
    """It fires when the last of them is in time for good; those that wait in vain fire with the end of the input."""
    query = (
        "SELECT id, SUM(id) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM events"
    )
    plan = plan_of(tmp_path, events_table(), Case("id BIGINT, s BIGINT", query).insert("sums"))
    stream = Stream(spark, plan, tmp_path / "home")
    # Shop 2 moves time, and shop 1 waits: for minute 3, which comes in front of minute 4.
    batches = [[(1, 1, 0), (2, 1, 4), (3, 2, 6)], [(4, 1, 3), (5, 2, 20)], [(6, 2, 21)], [(7, 1, 25)]]
    shown = []
    for number, rows in enumerate(batches):
        events = [Event(id, shop, 1, "a", None, None, MORNING + minute * MINUTE) for id, shop, minute in rows]
        stream.absorb(write_events(tmp_path / "events" / f"{number}.csv", events))
        shown.append(rows_of(tmp_path / "sums"))
    assert shown == [[], [(1, 5), (4, 7)], [(1, 5), (4, 7)], [(1, 5), (3, 8), (4, 7)]]
    kept = stream.driver.position.operators["w1"].closed
    assert sum(file.rows for file in kept) <= 2 * 2, "of each shop the row that waits, and the one before it"
    stream.end()
    assert rows_of(tmp_path / "sums") == [(1, 5), (2, 13), (3, 8), (4, 7), (5, 14), (6, 11), (7, 9)]
    stopped = Stream(spark, plan, tmp_path / "home")
    assert stopped.driver.position.operators["w1"].fired == stream.driver.position.operators["w1"].fired


def test_batch_is_what_duckdb_says(spark, tmp_path: Path) -> None:
    file = write_events(tmp_path / "events" / "all.csv", random_events(9, 300, 3 * HOUR))
    plan = plan_of(tmp_path, events_table(), *(insert(name) for name in QUERIES))
    results = batch_results(spark, plan, file)
    connection = duckdb_events(file)

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    assert results["numbered"] == said(
        "SELECT id, row_number() OVER (PARTITION BY shop ORDER BY ts, line) FROM events WHERE price > 20"
    )
    ten = "RANGE BETWEEN INTERVAL 10 MINUTE PRECEDING AND CURRENT ROW"
    assert results["last_hour"] == said(
        f"""SELECT id, count(*) OVER w, sum(price) OVER w, avg(weight) OVER w, first(id) OVER w FROM events
        WINDOW w AS (PARTITION BY shop ORDER BY ts {ten})"""
    )
    assert results["last_rows"] == said(
        """SELECT id, max(price) OVER w, count(DISTINCT user_id) OVER w,
            lag(id) OVER (PARTITION BY item ORDER BY ts, line),
            coalesce(lag(price) OVER (PARTITION BY item ORDER BY ts, line), 0.5)
        FROM events WHERE user_id < 10
        WINDOW w AS (PARTITION BY item ORDER BY ts, line ROWS BETWEEN 4 PRECEDING AND CURRENT ROW)"""
    )
    assert results["anew"] == said(
        f"""SELECT id, count(*) OVER w, sum(price) OVER w FROM events
        WINDOW w AS (PARTITION BY shop, time_bucket(INTERVAL 10 MINUTE, ts) ORDER BY ts {ten})"""
    )
    five = "RANGE BETWEEN INTERVAL 5 MINUTE PRECEDING AND CURRENT ROW"
    assert results["several"] == said(
        f"""SELECT id, count(*) OVER (PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 3 PRECEDING AND CURRENT ROW),
        count(price) OVER (ORDER BY ts {five}), sum(price) OVER w,
        row_number() OVER (PARTITION BY item ORDER BY ts, line), count(DISTINCT user_id) OVER w,
        string_agg(item, ',') OVER (PARTITION BY shop ORDER BY ts, line)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts)"""
    )
    assert results["around"] == said(
        """SELECT id, count(*) OVER w, sum(price) OVER w, max(price) OVER w, count(DISTINCT user_id) OVER w,
            count(*) OVER (PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 3 PRECEDING AND CURRENT ROW),
            lag(id) OVER (PARTITION BY shop ORDER BY ts, line)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts
            RANGE BETWEEN INTERVAL 10 MINUTE PRECEDING AND INTERVAL 150 SECOND FOLLOWING)"""
    )
    assert results["soon"] == said(
        """SELECT id, count(*) OVER w, count(DISTINCT user_id) OVER w, count(*) OVER (
            ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 1 MINUTE FOLLOWING)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts
            RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 5 MINUTE FOLLOWING)"""
    )
    assert results["next"] == said(
        """SELECT id, count(*) OVER w, sum(price) OVER w, count(DISTINCT user_id) OVER w,
            count(*) OVER (PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING),
            count(DISTINCT item) OVER (
                PARTITION BY shop ORDER BY ts, line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING),
            lead(id) OVER (PARTITION BY shop ORDER BY ts, line),
            coalesce(lead(id, 3) OVER (PARTITION BY shop ORDER BY ts, line), -1),
            count(DISTINCT item) OVER (PARTITION BY shop ORDER BY ts), max(item) OVER (PARTITION BY shop ORDER BY ts)
        FROM events WINDOW w AS (PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING)"""
    )
    assert results["last_but_one"] == said(
        """SELECT id, sum(price) OVER w, max(id) OVER w FROM events
        WINDOW w AS (ORDER BY ts, line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)"""
    )
    assert results["in_parts"] == said(
        f"""SELECT id, lead(id) OVER (PARTITION BY shop ORDER BY ts, line),
            sum(price) OVER (PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING),
            count(DISTINCT user_id) OVER (
                PARTITION BY item ORDER BY ts, line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING),
            count(*) OVER (ORDER BY ts {ten}),
            count(*) OVER (PARTITION BY item ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 3 MINUTE FOLLOWING),
            lag(id) OVER (PARTITION BY shop, item ORDER BY ts, line), max(price) OVER (ORDER BY ts)
        FROM events WHERE user_id < 10"""
    )
    assert results["in_parts_above"] == said(
        """WITH tens AS (SELECT shop, time_bucket(INTERVAL 10 MINUTE, ts) AS b, count(*) AS n FROM events GROUP BY ALL)
        SELECT shop, n, lead(n) OVER (PARTITION BY shop ORDER BY b), (sum(n) OVER (
            PARTITION BY shop ORDER BY b RANGE BETWEEN INTERVAL 20 MINUTE PRECEDING AND CURRENT ROW))::BIGINT
        FROM tens"""
    )
    assert results["above_and_below"] == said(
        """WITH rows AS (
            SELECT time_bucket(INTERVAL 10 MINUTE, ts) AS b, count(*) OVER (
                PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS n FROM events),
        tens AS (SELECT b, count(*) FILTER (WHERE n > 2) AS dear FROM rows GROUP BY b)
        SELECT dear, (sum(dear) OVER (ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW))::BIGINT,
            lag(dear, 1, 0) OVER w, (sum(DISTINCT dear) OVER w)::BIGINT, count(*) FILTER (WHERE dear > 2) OVER w
        FROM tens WINDOW w AS (ORDER BY b)"""
    )
