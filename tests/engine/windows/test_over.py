"""OVER by time: the same in any cut of the stream, with late rows; and what DuckDB says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from airflow_nrt.engine.verify import verify
from tests.engine.reports import (
    DELAY,
    HOUR,
    arriving,
    batch_results,
    cut,
    duckdb_events,
    events_table,
    ordered,
    plan_of,
    random_events,
    rows_of,
    stream_in_halves,
    write_events,
)

QUERIES = {
    "last_hour": (
        "id BIGINT, n BIGINT, gmv DECIMAL(38, 2), mean DOUBLE, earliest BIGINT",
        """SELECT id, COUNT(*) OVER w, SUM(price) OVER w, AVG(weight) OVER w, FIRST_VALUE(id) OVER w FROM events
        WINDOW w AS (PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW)""",
    ),
    "last_rows": (
        "id BIGINT, most DECIMAL(10, 2), users BIGINT, before BIGINT",
        """SELECT id, MAX(price) OVER w, COUNT(DISTINCT user_id) OVER w, LAG(id) OVER (PARTITION BY item ORDER BY ts)
        FROM events WHERE user_id < 10 WINDOW w AS (PARTITION BY item ORDER BY ts ROWS 4 PRECEDING)""",
    ),
    "several": (
        "id BIGINT, here BIGINT, everywhere BIGINT, gmv DECIMAL(38, 2), number BIGINT",
        """SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS 3 PRECEDING),
            COUNT(price) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND CURRENT ROW),
            SUM(price) OVER (PARTITION BY shop ORDER BY ts), ROW_NUMBER() OVER (PARTITION BY item ORDER BY ts)
        FROM events""",
    ),
    "above": (
        "dear BIGINT, b TIMESTAMP(3), e TIMESTAMP(3)",
        """SELECT COUNT(*) FILTER (WHERE n > 2), window_start, window_end FROM TABLE(TUMBLE(TABLE (
            SELECT ts, COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS 3 PRECEDING) AS n FROM events
        ), DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end""",
    ),
}  # fmt: skip


STREAMED = ("last_hour", "several", "above")


def insert(name: str) -> str:
    columns, query = QUERIES[name]
    return f"""
CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{name}', 'format' = 'parquet');
INSERT INTO {name} {query};"""


@pytest.mark.slow
@pytest.mark.timeout(400)
@settings(max_examples=1, phases=(Phase.explicit, Phase.generate), deadline=None)
@given(st.integers(0, 2**32), st.just(4))
def test_stream_is_proven_whatever_the_cut(spark, seed: int, batches: int) -> None:
    """A second driver goes on in the middle from what the first has stored."""
    events = random_events(seed, 150, 2 * HOUR)
    arrived = cut(arriving(events, seed, DELAY, late=0.2), seed, batches)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        plan = plan_of(place, events_table(), *(insert(name) for name in STREAMED))
        home = stream_in_halves(spark, plan, place, arrived)
        verdict = verify(spark, plan, home)
        assert verdict.is_proven, verdict
        assert {one.operator: one.found for one in verdict.ledgers}.keys() == {
            o.name for o in plan.operators if o.sources
        }
        assert all(rows_of(place / name) for name in STREAMED)


def test_batch_is_what_duckdb_says(spark, tmp_path: Path) -> None:
    events = random_events(9, 300, 3 * HOUR)
    file = write_events(tmp_path / "events" / "all.csv", events)
    plan = plan_of(tmp_path, events_table(), *(insert(name) for name in QUERIES))
    results = batch_results(spark, plan, file)
    connection = duckdb_events(file)

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    ten = "RANGE BETWEEN INTERVAL 10 MINUTE PRECEDING AND CURRENT ROW"
    assert results["last_hour"] == said(
        f"""SELECT id, count(*) OVER w, sum(price) OVER w, avg(weight) OVER w, first(id) OVER w FROM events
        WINDOW w AS (PARTITION BY shop ORDER BY ts {ten})"""
    )
    assert results["last_rows"] == said(
        """SELECT id, max(price) OVER w, count(DISTINCT user_id) OVER w,
            lag(id) OVER (PARTITION BY item ORDER BY ts, line)
        FROM events WHERE user_id < 10
        WINDOW w AS (PARTITION BY item ORDER BY ts, line ROWS BETWEEN 4 PRECEDING AND CURRENT ROW)"""
    )
    five = "RANGE BETWEEN INTERVAL 5 MINUTE PRECEDING AND CURRENT ROW"
    assert results["several"] == said(
        f"""SELECT id, count(*) OVER (PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 3 PRECEDING AND CURRENT ROW),
        count(price) OVER (ORDER BY ts {five}), sum(price) OVER (PARTITION BY shop ORDER BY ts),
        row_number() OVER (PARTITION BY item ORDER BY ts, line) FROM events"""
    )
    assert results["above"] == said(
        """SELECT count(*) FILTER (WHERE n > 2), b, b + INTERVAL 10 MINUTE FROM (
            SELECT time_bucket(INTERVAL 10 MINUTE, ts) AS b, count(*) OVER (
                PARTITION BY shop ORDER BY ts, line ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS n FROM events)
        GROUP BY b"""
    )
