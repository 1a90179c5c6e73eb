"""Windows over the first rows of a key: any cut of the stream, late rows, and what DuckDB says of all rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from tests.engine.oracle import milliseconds
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
from tests.engine.windows.streamed import BOUNDS, any_cut, streamed, windowed


def first(partition: str, limit: int = 1) -> str:
    return f"""(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY ts) AS n FROM events)
        WHERE n <= {limit})"""


CUMULATE = "CUMULATE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"
CASES = {
    "new_users": windowed(
        "users BIGINT", f"SELECT COUNT(*), {BOUNDS} FROM TABLE({CUMULATE.format(first('user_id'))}) GROUP BY {BOUNDS}"
    ),
    "by_hour": windowed(
        "shop INT, users BIGINT, gmv DECIMAL(38, 2)",
        f"""SELECT shop, COUNT(DISTINCT user_id), SUM(price), {BOUNDS} FROM TABLE(HOP(TABLE
            {first("user_id, FLOOR(ts TO HOUR)")}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '20' MINUTE))
        GROUP BY shop, {BOUNDS}""",
    ),
    "first_three": windowed(
        "item STRING, n BIGINT",
        f"""SELECT item, COUNT(*), TUMBLE_START(ts, INTERVAL '10' MINUTE), TUMBLE_END(ts, INTERVAL '10' MINUTE)
        FROM {first("item, shop", 3)} GROUP BY item, TUMBLE(ts, INTERVAL '10' MINUTE)""",
    ),
}
INSERTS = [case.insert(name) for name, case in CASES.items()]


@pytest.mark.timeout(600)
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, seed: int, batches: int) -> None:
    _, verdict, written = streamed(spark, INSERTS, 90, seed, batches)
    assert verdict.is_proven and verdict.late_rows > 0, verdict
    assert all(written.values())


def test_batch_is_what_duckdb_says(spark, tmp_path: Path) -> None:
    file = write_events(tmp_path / "events" / "all.csv", random_events(9, 300, 3 * HOUR))
    results = batch_results(spark, plan_of(tmp_path, events_table(), *INSERTS), file)
    connection = duckdb_events(file)

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    numbered = "row_number() OVER (PARTITION BY {} ORDER BY ts, line)"
    hour = "date_trunc('hour', ts)"
    assert results["new_users"] == said(
        f"""WITH f AS (SELECT ts, {hour} AS start FROM events QUALIFY {numbered.format("user_id")} = 1),
        steps AS (SELECT DISTINCT {hour} AS start, unnest(range(1, 7)) AS step FROM events)
        SELECT count(*), start, start + step * INTERVAL 10 MINUTE FROM steps JOIN f USING (start)
        WHERE ts < start + step * INTERVAL 10 MINUTE GROUP BY ALL"""
    )
    assert results["by_hour"] == said(
        f"""WITH f AS (SELECT * FROM events QUALIFY {numbered.format(f"user_id, {hour}")} = 1),
        w AS (SELECT *, unnest([0, 1]) AS back FROM f),
        s AS (SELECT *, time_bucket(INTERVAL 10 MINUTE, ts) - back * INTERVAL 10 MINUTE AS start FROM w)
        SELECT shop, count(DISTINCT user_id), sum(price), start, start + INTERVAL 20 MINUTE FROM s GROUP BY ALL"""
    )
    assert results["first_three"] == said(
        f"""WITH f AS (SELECT * FROM events QUALIFY {numbered.format("item, shop")} <= 3)
        SELECT item, count(*), time_bucket(INTERVAL 10 MINUTE, ts) AS s, s + INTERVAL 10 MINUTE FROM f GROUP BY ALL"""
    )


def test_what_comes_before_the_first_row_is_late(spark, tmp_path: Path) -> None:
    """User 1 came first in minute 11. An earlier row of this user changes nothing after the watermark has passed it."""
    plan = plan_of(tmp_path, events_table(), INSERTS[0])
    stream = Stream(spark, plan, tmp_path / "home")
    batches = [[(1, 11), (2, 12)], [(3, 12 + DELAY // MINUTE)], [(1, 4), (4, 40)], [(5, 90)]]
    for number, rows in enumerate(batches):
        events = [Event(n, 1, user, "a", None, None, MORNING + at * MINUTE) for n, (user, at) in enumerate(rows)]
        stream.absorb(write_events(tmp_path / "events" / f"{number}.csv", events))
    stream.end()
    users = {(milliseconds(end) - MORNING) // MINUTE: users for users, _, end in rows_of(tmp_path / "new_users")}
    assert users == {20: 3, 30: 3, 40: 3, 50: 4, 60: 4, 100: 1, 110: 1, 120: 1}
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 1, verdict
    assert verdict.inserts[0].rows["explained"] == 1, "the window of minute 10"
