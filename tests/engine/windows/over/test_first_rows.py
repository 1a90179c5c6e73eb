"""Windows over the first rows of a key: any cut of the stream, late rows, and what DuckDB says of all rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.describe.description import describe
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.engine.windows.over import over
from airflow_nrt.model.plan import Plan
from tests.engine.oracle import milliseconds
from tests.engine.reports import (
    DAY,
    DELAY,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
    batch_results,
    cut,
    duckdb_events,
    events_table,
    ordered,
    plan_of,
    random_events,
    rows_of,
    write_events,
    write_lines,
)
from tests.engine.windows.streamed import BOUNDS, Case, any_cut, streamed, windowed
from tests.in_turn import every_second


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


DAILY = windowed(
    "users BIGINT",
    f"""SELECT COUNT(*), {BOUNDS} FROM TABLE(TUMBLE(TABLE {first("user_id, CAST(ts AS DATE)")}, DESCRIPTOR(ts),
        INTERVAL '1' DAY)) GROUP BY {BOUNDS}""",
)


def visits(day: int, users: Iterable[int], hour: int = 12) -> list[Event]:
    return [
        Event(100 * day + n, 1, user, "a", None, None, MORNING + day * DAY + hour * HOUR + n * MINUTE)
        for n, user in enumerate(users)
    ]


def counts_of(stream: Stream) -> int:
    """The rows that the state of the counts of first rows has of rows that have fired."""
    return sum(file.rows for file in stream.driver.position.operators["w1"].closed)


def test_the_keys_of_a_day_are_forgotten_with_it(spark, tmp_path: Path) -> None:
    """When a row of the next day has fired; whatever a restarted driver finds."""
    plan = plan_of(tmp_path, events_table(), DAILY.insert("daily"))
    held = []
    for day in range(4):
        stream = Stream(spark, plan, tmp_path / "home")
        stream.absorb_batches(tmp_path, [visits(day, range(20)), visits(day, range(10, 20), 15)])
        stream.absorb_batches(tmp_path, [visits(day, [1], 20)])
        held.append(counts_of(stream))
        stream.absorb_batches(tmp_path, [visits(day + 1, [50], 0), visits(day + 1, [51], 1)])
        held.append(counts_of(stream))
    assert held[1::2] == [1] * 4, "user 50 of the day that has begun"
    assert max(held) <= 1 + 20 + 20 + 1, held
    stream.end()
    assert counts_of(stream) == 0
    assert [users for users, *_ in sorted(rows_of(tmp_path / "daily"), key=lambda row: row[1])] == [20, 22, 22, 22, 2]
    assert verify(spark, plan, stream.home).is_proven


def test_a_late_row_of_a_day_that_is_forgotten_is_late(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), DAILY.insert("daily"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [visits(0, [1, 2]), visits(1, [1]), visits(1, [7], 13), visits(0, [1, 3], 20)])
    stream.end()
    assert sorted(rows_of(tmp_path / "daily"), key=lambda row: row[1])[0][0] == 2
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 2, verdict


def test_a_day_is_that_of_the_session_s_zone(spark, tmp_path: Path) -> None:
    """In New York it ends at four o'clock UTC, not at midnight."""
    table = events_table().replace("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")
    zone = "SET 'table.local-time-zone' = 'America/New_York';"
    plan = plan_of(tmp_path, zone, table, DAILY.insert("daily"))
    stream = Stream(spark, plan, tmp_path / "home")
    held = []
    for number, hour in enumerate([22, 23, 25, 26, 27, 28, 29, 30]):
        event = Event(number, 1, number % 2, "a", None, None, MORNING + hour * HOUR)
        line = event.line.replace(".000", ".000Z")
        stream.absorb(write_lines(tmp_path / "events" / f"{number}.csv", [line]))
        held.append(counts_of(stream))
    assert held[-2:] == [1, 2], "the rows from 28:00 on"
    stream.end()
    assert [users for users, *_ in sorted(rows_of(tmp_path / "daily"), key=lambda row: row[1])] == [2, 2]
    assert verify(spark, plan, stream.home).is_proven


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", every_second(["FLOOR(ts TO HOUR)", "DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm')"]))
def test_a_home_that_has_forgotten_nothing_goes_on(spark, tmp_path: Path, part: str, monkeypatch) -> None:
    """As those of an earlier version. The rows of every step are those of a driver that never forgets."""
    query = f"SELECT id, user_id, {{}} FROM {first(f'user_id, {part}', 2)} GROUP BY id, user_id, {{}}"
    bounds = ("TUMBLE_END(ts, INTERVAL '10' MINUTE)", "TUMBLE(ts, INTERVAL '10' MINUTE)")
    case = Case("id BIGINT, user_id INT, ends TIMESTAMP(3)", query.format(*bounds))
    batches = cut(arriving(random_events(4, 200, 4 * HOUR), 4, DELAY), 4, 6)
    shown = {}
    for name, forgets_from in (("never", 6), ("later", 3), ("always", 0)):
        place = tmp_path / name
        plan = plan_of(place, events_table(), case.insert("firsts"))
        for number, batch in enumerate(batches):
            with monkeypatch.context() as before:
                if number < forgets_from:
                    before.setattr(over, "last_end_of_periods", lambda layout, until: BEFORE_TIME)
                stream = Stream(spark, plan, place / "home")
                stream.absorb_batches(place, [batch])
        held = counts_of(stream)
        stream.end()
        shown[name] = held, rows_of(place / "firsts")
        assert verify(spark, plan, stream.home).is_proven
    assert shown["never"][1] == shown["later"][1] == shown["always"][1]
    assert shown["later"][0] == shown["always"][0] < shown["never"][0]


# ---------------------------------------------------------------------------------------------------- a TTL

LIVE = {"source__monitor_interval": "1 s"}
TTL = 20 * MINUTE


def with_ttl(place: Path, *inserts: str, ttl: str = "20 min") -> Plan:
    return plan_of(place, f"SET 'table.exec.state.ttl' = '{ttl}';", events_table(**LIVE), *inserts)


def listed(limit: int) -> str:
    """The first rows of users, each in its window."""
    query = f"SELECT id, TUMBLE_END(ts, INTERVAL '10' MINUTE) FROM {first('user_id', limit)} GROUP BY id, TUMBLE(ts, INTERVAL '10' MINUTE)"  # noqa: E501
    return Case("id BIGINT, ends TIMESTAMP(3)", query).insert(f"firsts_{limit}")


def first_ids(arrived: Iterable[Event], limit: int) -> list[int]:
    """The rows that are among the first of their user since the user was idle for the TTL."""
    seen: dict[int | None, tuple[int, int]] = {}
    found = []
    for event in sorted(arrived, key=lambda one: one.at):
        last, count = seen.get(event.user, (event.at - TTL, 0))
        count = 1 if event.at - last >= TTL else count + 1
        seen[event.user] = event.at, count
        found += [event.id] if count <= limit else []
    return sorted(found)


@pytest.mark.timeout(600)
@any_cut
def test_with_a_ttl_an_idle_key_begins_anew(spark, seed: int, batches: int) -> None:
    """By event time, whatever the cut and though a driver takes over."""
    arrived = arriving(random_events(seed, 150, 3 * HOUR), seed, DELAY)
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = with_ttl(place, listed(1), listed(3))
        for batch in cut(arrived, seed, batches):
            stream = Stream(spark, plan, place / "home")
            stream.absorb_batches(place, [batch])
        stream.end()
        for limit in (1, 3):
            assert sorted(row[0] for row in rows_of(place / f"firsts_{limit}")) == first_ids(arrived, limit)
        assert verify(spark, plan, stream.home).is_proven


@pytest.mark.timeout(600)
@any_cut
def test_with_a_ttl_and_late_rows_a_stream_is_proven(spark, seed: int, batches: int) -> None:
    arrived = arriving(random_events(seed, 120, 2 * HOUR), seed, DELAY, late=0.2)
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = with_ttl(place, INSERTS[0])
        stream = Stream(spark, plan, place / "home")
        stream.absorb_batches(place, [arrived[:40], *cut(arrived[40:], seed, batches)])
        stream.end()
        verdict = verify(spark, plan, stream.home)
        assert verdict.is_proven and verdict.late_rows > 0, verdict


def test_with_a_ttl_nothing_is_left_of_users_who_do_not_come_back(spark, tmp_path: Path) -> None:
    plan = with_ttl(tmp_path, INSERTS[0], ttl="1 h")
    stream = Stream(spark, plan, tmp_path / "home")
    held = []
    for hour in range(5):
        stream.absorb_batches(tmp_path, [visits(0, range(100 * hour, 100 * hour + 20), hour)])
        held.append(counts_of(stream))
    assert max(held) <= 40, held
    counted = describe(plan)["operators"][0]["bounded_by"]
    assert counted == (
        "the frames, and how many keys have come within 1 hour: a key without a row for so long begins anew"
    )


def test_a_ttl_counts_only_where_consent_would_be_needed(tmp_path: Path) -> None:
    """So reports of earlier versions compute what they did."""
    setting = "SET 'table.exec.state.ttl' = '1 h';"
    allowed = plan_of(
        tmp_path, setting, "SET 'table.exec.state.unbounded' = 'allow';", events_table(**LIVE), INSERTS[0]
    )
    bounded = plan_of(tmp_path, setting, events_table(), INSERTS[0])
    by_hour = plan_of(tmp_path, setting, events_table(**LIVE), INSERTS[1])
    for plan in (allowed, bounded, by_hour):
        assert [frame.idle for frame in plan.operators[0].frames] == [None]
    assert [frame.idle for frame in with_ttl(tmp_path, INSERTS[0]).operators[0].frames] == [TTL]
