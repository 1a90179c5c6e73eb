"""SESSION windows: who is in one session, in any cut of the stream, with rows that are older than the watermark."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.engine.windows.session_merging import assigned
from tests.engine.reports import (
    DELAY,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
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

pytestmark = pytest.mark.usefixtures("several_tasks")

BY_SHOP = "SESSION(TABLE events PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '7' MINUTE)"
ALL = "SESSION(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)"
QUERIES = {
    "visits": windowed(
        "shop INT, n BIGINT, users BIGINT, gmv DECIMAL(38, 2), first_id BIGINT, items STRING",
        f"""SELECT shop, COUNT(*), COUNT(DISTINCT user_id), SUM(price), FIRST_VALUE(id), LISTAGG(item), {BOUNDS}
        FROM {BY_SHOP} GROUP BY shop, {BOUNDS}""",
    ),
    "counts": windowed("n BIGINT", f"SELECT COUNT(*), {BOUNDS} FROM {ALL} GROUP BY {BOUNDS}"),
    "rows_of_visits": windowed("id BIGINT, shop INT", f"SELECT id, shop, {BOUNDS} FROM {BY_SHOP}"),
    "dear": windowed(
        "n BIGINT",
        f"SELECT COUNT(*), {BOUNDS} FROM {BY_SHOP} WHERE price > 20 GROUP BY {BOUNDS}",
    ),
    "ended": windowed(
        "visits BIGINT, n BIGINT",
        f"""SELECT COUNT(*), SUM(n), {BOUNDS} FROM TABLE(TUMBLE(TABLE (
            SELECT shop, COUNT(*) AS n, window_time AS at FROM {BY_SHOP} GROUP BY shop, {BOUNDS}, window_time
        ), DESCRIPTOR(at), INTERVAL '10' MINUTE)) GROUP BY {BOUNDS}""",
    ),
    "older": windowed(
        "who STRING, n BIGINT",
        """SELECT UPPER(item), COUNT(*), SESSION_START(ts, INTERVAL '10' MINUTE), SESSION_END(ts, INTERVAL '10' MINUTE)
        FROM events WHERE price > 20 GROUP BY UPPER(item), SESSION(ts, INTERVAL '10' MINUTE)""",
    ),
}  # fmt: skip


STREAMED = ("visits", "ended")


def insert(name: str) -> str:
    return QUERIES[name].insert(name)


@pytest.mark.slow
@pytest.mark.timeout(900)
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, seed: int, batches: int) -> None:
    _, verdict, written = streamed(spark, [insert(name) for name in STREAMED], 100, seed, batches)
    assert verdict.is_proven, verdict
    assert verdict.late_rows > 0
    assert all(one.rows["equal"] > 0 for one in verdict.inserts), verdict
    assert all(written.values())


def test_batch_is_what_duckdb_says(spark, tmp_path: Path) -> None:
    events = arriving(random_events(9, 300, 3 * HOUR), 9, DELAY)
    file = write_events(tmp_path / "events" / "all.csv", events)
    plan = plan_of(tmp_path, events_table(), *(insert(name) for name in QUERIES))
    results = batch_results(spark, plan, file)
    connection = duckdb_events(file)

    def sessions(key: str, gap: int, source: str = "events") -> str:
        return f"""(SELECT *, min(ts) OVER s AS b, max(ts) OVER s + INTERVAL {gap} MINUTE AS e FROM (
            SELECT *, sum(new) OVER (PARTITION BY {key} ORDER BY ts, line) AS island FROM (
                SELECT *, coalesce(ts > lag(ts) OVER (PARTITION BY {key} ORDER BY ts, line) + INTERVAL {gap} MINUTE,
                    true)::INT AS new FROM {source}))
            WINDOW s AS (PARTITION BY {key}, island))"""

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    by_shop = sessions("shop", 7)
    assert results["visits"] == said(
        f"""SELECT shop, count(*), count(DISTINCT user_id), sum(price), first(id ORDER BY line),
        string_agg(item, ',' ORDER BY line), b, e FROM {by_shop} GROUP BY shop, b, e"""
    )
    assert results["counts"] == said(f"SELECT count(*), b, e FROM {sessions('NULL', 1)} GROUP BY b, e")
    assert results["rows_of_visits"] == said(f"SELECT id, shop, b, e FROM {by_shop}")
    assert results["dear"] == said(f"SELECT count(*), b, e FROM {by_shop} WHERE price > 20 GROUP BY b, e")
    assert results["ended"] == said(
        f"""SELECT count(*), sum(n)::BIGINT, t, t + INTERVAL 10 MINUTE FROM (
            SELECT count(*) AS n, time_bucket(INTERVAL 10 MINUTE, e - INTERVAL 1 MILLISECOND) AS t
            FROM {by_shop} GROUP BY shop, b, e) GROUP BY t"""
    )
    dear = "(SELECT * FROM events WHERE price > 20)"
    assert results["older"] == said(
        f"SELECT upper(item), count(*), b, e FROM {sessions('item', 10, dear)} GROUP BY item, b, e"
    )


def test_a_session_that_has_fired_takes_nobody_in(spark, tmp_path: Path) -> None:
    """No row is late, and yet the batch sees one session where two were published: the arrivals explain it."""
    at = {"first": 0, "elsewhere": 12 * MINUTE, "behind": 5 * MINUTE}
    shops = {"first": 1, "elsewhere": 2, "behind": 1}
    rows = [Event(n, shops[name], 1, "a", None, None, MORNING + at[name]) for n, name in enumerate(at)]
    plan = plan_of(tmp_path, events_table(), insert("visits"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [[row] for row in rows])
    stream.end()
    assert sorted(row[1] for row in rows_of(tmp_path / "visits")) == [1, 1, 1]
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    assert verdict.late_rows == 0
    assert verdict.inserts[0].rows["explained"] > 0


Row = tuple[int, "int | None", int]
"""Rowtime, the watermark at the beginning of its batch, the batch."""


def followed(rows: list[Row], gap: int) -> list[tuple[int, int, bool]]:
    """The session of each row, and whether the row is late, by following the arrivals batch by batch."""
    told: list[tuple[int, int, bool]] = [(0, 0, False)] * len(rows)
    sessions: list[list[int]] = []
    for batch in sorted({row[2] for row in rows}):
        here = [n for n, row in enumerate(rows) if row[2] == batch]
        watermark = rows[here[0]][1]
        closed = [s for s in sessions if watermark is not None and _end(s, rows, gap) - 1 <= watermark]
        groups = [s for s in sessions if s not in closed] + [[n] for n in here]
        while True:
            pair = next(((a, b) for a in groups for b in groups if a is not b and _touch(a, b, rows, gap)), None)
            if pair is None:
                break
            groups = [g for g in groups if g not in pair] + [pair[0] + pair[1]]
        late = [g for g in groups if watermark is not None and _end(g, rows, gap) - 1 <= watermark]
        for group in late:
            for n in group:
                told[n] = (min(rows[m][0] for m in group), _end(group, rows, gap), True)
        sessions = closed + [g for g in groups if g not in late]
    for group in sessions:
        for n in group:
            told[n] = (min(rows[m][0] for m in group), _end(group, rows, gap), False)
    return told


def _end(group: list[int], rows: list[Row], gap: int) -> int:
    return max(rows[n][0] for n in group) + gap


def _touch(a: list[int], b: list[int], rows: list[Row], gap: int) -> bool:
    starts = [min(rows[n][0] for n in group) for group in (a, b)]
    return starts[0] <= _end(b, rows, gap) and starts[1] <= _end(a, rows, gap)


def test_sessions_are_those_of_a_walk_through_the_arrivals(spark) -> None:
    """Many small streams at once, each a key: rows on a narrow clock, so that they touch, come late, come at an end."""
    chance = random.Random(1)
    streams: list[list[Row]] = []
    for _ in range(400):
        watermark: int | None = None
        rows: list[Row] = []
        for batch in range(chance.randint(1, 5)):
            rows += [(chance.randint(0, 12) + 3 * batch, watermark, batch) for _ in range(chance.randint(1, 4))]
            watermark = max(row[0] for row in rows) - chance.randint(0, 4) if chance.random() < 0.9 else watermark
            before = [row[1] for row in rows if row[1] is not None]
            watermark = max([watermark, *before]) if watermark is not None else None
        streams.append(rows)
    gap = 3
    units = [
        (key, n, at, at + gap, seen, batch)
        for key, rows in enumerate(streams)
        for n, (at, seen, batch) in enumerate(rows)
    ]
    columns = "k INT, n INT, _nrt_start BIGINT, _nrt_slice BIGINT, _nrt_seen BIGINT, _nrt_batch BIGINT"
    found = assigned(spark.createDataFrame(units, columns), ["k"]).collect()
    ours = {(one.k, one.n): (one._nrt_start, one._nrt_slice, one._nrt_is_late) for one in found}
    walked = {(key, n): told for key, rows in enumerate(streams) for n, told in enumerate(followed(rows, gap))}
    assert len(found) == len(walked)
    wrong = {place: (told, ours[place]) for place, told in walked.items() if not _same(told, ours[place])}
    assert not wrong, [(streams[key], key, n, told) for (key, n), told in list(wrong.items())[:3]]
    assert sum(told[2] for told in walked.values()) > 50


def _same(walked: tuple[int, int, bool], ours: tuple[int, int, bool]) -> bool:
    """Nobody asks for the session of a late row."""
    return walked == ours or (walked[2] and ours[2])
