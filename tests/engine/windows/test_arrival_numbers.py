"""Windows of a rowtime over the rows of a key that came first: an oracle of any history, late rows, what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
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
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
)
from tests.engine.windows.streamed import BOUNDS, Case, any_cut

LIVE = {"source__monitor_interval": "1 s"}
History = Sequence[Sequence[Event]]


def table(**given: str) -> str:
    return events_table(**given).replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), pt AS PROCTIME(),")


def first(partition: str, limit: int = 1) -> str:
    return f"""(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY pt) AS n FROM events)
        WHERE n <= {limit})"""


def listed(rows: str, window: str) -> Case:
    """The rows of these windows, each with the bounds."""
    return Case(COLUMNS, f"SELECT id, {BOUNDS} FROM TABLE({window.format(rows)}) GROUP BY id, {BOUNDS}")


COLUMNS = "id BIGINT, s TIMESTAMP(3), e TIMESTAMP(3)"
HOP = "HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '30' MINUTE)"
SESSION = "SESSION(TABLE {} PARTITION BY id, DESCRIPTOR(ts), INTERVAL '7' MINUTE)"
LEGACY = """SELECT id, TUMBLE_START(ts, INTERVAL '20' MINUTE), TUMBLE_END(ts, INTERVAL '20' MINUTE)
    FROM {} GROUP BY id, TUMBLE(ts, INTERVAL '20' MINUTE)"""
ROWS = """SELECT id, window_start, window_end FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, id ORDER BY price) AS place
    FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '20' MINUTE))) WHERE place = 1"""
CASES = {
    "by_hour": listed(first("user_id, FLOOR(ts TO HOUR)"), HOP),
    "first_three": Case(COLUMNS, LEGACY.format(first("shop, item", 3))),
    "in_sessions": listed(first("user_id"), SESSION),
    "kept": Case(COLUMNS, ROWS.format(first("user_id, DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm')"))),
}
INSERTS = [case.insert(name) for name, case in CASES.items()]


def spans(name: str, at: int) -> list[tuple[int, int]]:
    """The windows of a row."""
    tens = at // (10 * MINUTE) * 10 * MINUTE
    twenty = at // (20 * MINUTE) * 20 * MINUTE
    return {
        "by_hour": [(start, start + 30 * MINUTE) for start in range(tens - 20 * MINUTE, tens + 1, 10 * MINUTE)],
        "first_three": [(twenty, twenty + 20 * MINUTE)],
        "in_sessions": [(at, at + 7 * MINUTE)],
        "kept": [(twenty, twenty + 20 * MINUTE)],
    }[name]


KEYS = {
    "by_hour": (lambda one: (one.user, one.at // HOUR), 1),
    "first_three": (lambda one: (one.shop, one.item), 3),
    "in_sessions": (lambda one: one.user, 1),
    "kept": (lambda one: (one.user, one.at // MINUTE), 1),
}


def oracle(name: str, history: History) -> list[tuple[int, int, int]]:
    """What a stream of these batches publishes: a late row is the first of its key, too, and is in no window."""
    key_of, limit = KEYS[name]
    seen: dict[object, int] = {}
    newest, found = None, []
    for batch in history:
        watermark = -(2**62) if newest is None else newest - DELAY
        for event in batch:
            key = key_of(event)
            seen[key] = seen.get(key, 0) + 1
            if seen[key] <= limit:
                found += [(event.id, *span) for span in spans(name, event.at) if span[1] > watermark + 1]
            newest = event.at if newest is None else max(newest, event.at)
    return sorted(found)


def published(place: Path, name: str) -> list[tuple[int, int, int]]:
    return sorted((id, milliseconds(start), milliseconds(end)) for id, start, end in rows_of(place / name))


def shuffled(seed: int, batches: int) -> list[list[Event]]:
    arrived = arriving(random_events(seed, 80, 3 * HOUR), seed, DELAY, late=0.2)
    return [arrived[:30], *cut(arrived[30:60], seed, batches - 1), arrived[60:]]


@pytest.mark.timeout(600)
@any_cut
def test_a_stream_has_the_rows_that_came_first(spark, seed: int, batches: int) -> None:
    """A driver takes over half-way. The verifier finds the same rows, in the order of the log."""
    history = shuffled(seed, batches)
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = plan_of(place, table(), *INSERTS)
        Stream(spark, plan, place / "home").absorb_batches(place, history[:2])
        stream = Stream(spark, plan, place / "home")
        stream.absorb_batches(place, history[2:])
        stream.end()
        for name in CASES:
            assert published(place, name) == oracle(name, history), name
        verdict = verify(spark, plan, stream.home)
        assert verdict.is_proven and verdict.late_rows > 0, verdict


def test_a_batch_has_the_rows_that_stand_first(spark, tmp_path: Path) -> None:
    """Where no stream has read them, rows came in the order of their files and lines."""
    events = arriving(random_events(9, 100, 3 * HOUR), 9, DELAY, late=0.2)
    file = write_events(tmp_path / "events" / "all.csv", events)
    results = batch_results(spark, plan_of(tmp_path, table(), *INSERTS), file)
    for name in CASES:
        rows = sorted((id, milliseconds(start), milliseconds(end)) for id, start, end in results[name])
        assert rows == oracle(name, [events]), name


def visits(day: int, *users: tuple[int, int]) -> list[Event]:
    """Visits of users at minutes of a day."""
    return [
        Event(1000 * day + 10 * at + user, 1, user, "a", None, None, MORNING + day * DAY + at * MINUTE)
        for user, at in users
    ]


def counted(name: str, partition: str, window: str) -> str:
    query = f"SELECT COUNT(*), {BOUNDS} FROM TABLE({window.format(first(partition))}) GROUP BY {BOUNDS}"
    return Case("users BIGINT, s TIMESTAMP(3), e TIMESTAMP(3)", query).insert(name)


def held(stream: Stream) -> int:
    """The keys that the state has."""
    return sum(file.rows for file in stream.driver.position.operators["w1"].numbers)


DAILY = counted("daily", "user_id, CAST(ts AS DATE)", "TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' DAY)")


def test_the_keys_of_a_day_are_forgotten_with_it(spark, tmp_path: Path) -> None:
    """Whatever a restarted driver finds. A row of that day that comes then is late, as nobody knows whether it is the
    first."""
    plan = plan_of(tmp_path, table(**LIVE), DAILY)
    kept: list[int] = []
    for day in range(3):
        stream = Stream(spark, plan, tmp_path / "home")
        everybody = visits(day, *((user, 600 + user) for user in range(20)))
        stream.absorb_batches(tmp_path, [everybody, visits(day, (3, 300), (50, 1200)), visits(day + 1, (1, 10))])
        kept.append(held(stream))
        stream.absorb_batches(tmp_path, [visits(day, (1, 700), (60, 800))])
        kept.append(held(stream))
    assert kept == [22, 1, 22, 1, 22, 1], "user 1 of the next day alone"
    stream.end()
    assert [row[0] for row in sorted(rows_of(tmp_path / "daily"), key=lambda row: row[1])] == [21, 21, 21, 1]
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 6, verdict


def test_the_keys_of_a_day_stay_as_long_as_a_window_of_it_is_open(spark, tmp_path: Path) -> None:
    """A row of Tuesday that comes on Wednesday counts in the week, unless its user came before."""
    plan = plan_of(
        tmp_path,
        table(**LIVE),
        counted("weekly", "user_id, CAST(ts AS DATE)", "TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '7' DAY)"),
    )
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [visits(0, (1, 600)), visits(1, (1, 600)), visits(0, (1, 100), (2, 100))])
    stream.end()
    assert [row[0] for row in rows_of(tmp_path / "weekly")] == [3]
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 0, verdict


TTL = 20 * MINUTE


def with_ttl(place: Path) -> Plan:
    case = Case(COLUMNS, LEGACY.format(first("user_id", 2)))
    return plan_of(place, "SET 'table.exec.state.ttl' = '20 min';", table(**LIVE), case.insert("firsts"))


def first_ids(history: History) -> list[int]:
    """The two first rows of a user in each life, which ends when event time has gone on for the TTL without a row."""
    seen: dict[int | None, tuple[int, int]] = {}
    newest, found = -(2**62), []
    for batch in history:
        watermark = newest - DELAY
        for event in batch:
            time = max(event.at, watermark)
            last, count = seen.get(event.user, (time - TTL, 0))
            count = 1 if time - last >= TTL else count + 1
            seen[event.user] = max(time, last), count
            in_time = event.at // TTL * TTL + TTL > watermark + 1
            found += [event.id] if count <= 2 and in_time else []
            newest = max(newest, event.at)
    return sorted(found)


@pytest.mark.timeout(600)
@any_cut
def test_with_a_ttl_an_idle_key_begins_anew(spark, seed: int, batches: int) -> None:
    history = shuffled(seed, batches)
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = with_ttl(place)
        for batch in history:
            stream = Stream(spark, plan, place / "home")
            stream.absorb_batches(place, [batch])
        stream.end()
        assert sorted(row[0] for row in rows_of(place / "firsts")) == first_ids(history)
        verdict = verify(spark, plan, stream.home)
        assert verdict.is_proven and verdict.late_rows > 0, verdict


def test_with_a_ttl_nothing_is_left_of_users_who_do_not_come_back(spark, tmp_path: Path) -> None:
    plan = with_ttl(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    kept = []
    for hour in range(4):
        stream.absorb_batches(tmp_path, [visits(0, *((100 * hour + n, 60 * hour + n) for n in range(20)))])
        kept.append(held(stream))
    assert max(kept) <= 40, kept


def test_a_key_that_is_known_costs_no_state(spark, tmp_path: Path) -> None:
    """Later rows of it change nothing. Many files of keys are merged."""
    case = Case(COLUMNS, LEGACY.format(first("user_id")))
    plan = plan_of(tmp_path, table(), case.insert("firsts"))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [visits(0, (1, 10), (2, 12)), visits(0, (1, 13), (2, 11)), visits(0, (1, 14))])
    numbers = stream.driver.position.operators["w1"].numbers
    assert [file.rows for file in numbers] == [2]
    stream.absorb_batches(tmp_path, [visits(0, (3 + n, 15 + n)) for n in range(14)])
    numbers = stream.driver.position.operators["w1"].numbers
    assert len(numbers) < 12 and sum(file.rows for file in numbers) == 16
    stream.end()
    assert len(rows_of(tmp_path / "firsts")) == 16


def test_an_interval_is_verified_and_made_again(spark, tmp_path: Path) -> None:
    """With all rows that say which of a key came first: those before the interval, and of a day those after it. A
    row that no stream has read comes after all others."""
    firsts = Case(COLUMNS, LEGACY.format(first("user_id"))).insert("firsts")
    by_day = Case(COLUMNS, LEGACY.format(first("user_id, CAST(ts AS DATE)"))).insert("by_day")
    plan = plan_of(tmp_path, table(), firsts, by_day)
    stream = Stream(spark, plan, tmp_path / "home")
    history = [
        visits(0, (1, 100), (2, 104)),
        visits(0, (3, 148), (4, 130), (3, 143), (1, 147)),
        visits(1, (1, 700), (5, 705), (3, 702)),
        visits(1, (6, 760), (5, 780)),
    ]
    stream.absorb_batches(tmp_path, history)
    before = {name: rows_of(tmp_path / name) for name in ("firsts", "by_day")}
    for name, path in (("firsts", "by user"), ("by_day", "by day")):
        assert before[name], path
    write_events(tmp_path / "events" / "unread.csv", visits(0, (3, 141), (9, 150)))
    interval = Interval(MORNING + 140 * MINUTE, MORNING + 160 * MINUTE)
    verdict = verify(spark, plan, stream.home, interval)
    assert verdict.is_proven and verdict.inserts[0].windows == 1, verdict
    backfill(spark, plan, stream.home, interval, check=False)
    after = {name: rows_of(tmp_path / name) for name in before}
    assert [row[0] for row in after["firsts"]] == [row[0] for row in before["firsts"]]
    assert after == before
