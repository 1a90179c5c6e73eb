"""Windows of a rowtime over the rows of a key that came first: a Python oracle of any history, late rows, what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

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

History = Sequence[Sequence[Event]]


def table(**given: str) -> str:
    return events_table(**given).replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), pt AS PROCTIME(),")


def first(partition: str, limit: int = 1) -> str:
    return f"""(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY pt) AS n FROM events)
        WHERE n <= {limit})"""


def listed(rows: str, window: str, columns: str = "") -> Case:
    """The rows of these windows, each with the bounds."""
    of = f"TABLE({window.format(rows)})"
    return Case(
        f"id BIGINT{columns}, s TIMESTAMP(3), e TIMESTAMP(3)",
        f"SELECT id, {BOUNDS} FROM {of} GROUP BY id, {BOUNDS}",
    )


HOP = "HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '30' MINUTE)"
CUMULATE = "CUMULATE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"
SESSION = "SESSION(TABLE {} PARTITION BY id, DESCRIPTOR(ts), INTERVAL '7' MINUTE)"
LEGACY = """SELECT id, TUMBLE_START(ts, INTERVAL '20' MINUTE), TUMBLE_END(ts, INTERVAL '20' MINUTE)
    FROM {} GROUP BY id, TUMBLE(ts, INTERVAL '20' MINUTE)"""
ROWS = """SELECT id, window_start, window_end FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, id ORDER BY price) AS place
    FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '20' MINUTE))) WHERE place = 1"""
COLUMNS = "id BIGINT, s TIMESTAMP(3), e TIMESTAMP(3)"
CASES = {
    "cumulated": listed(first("user_id"), CUMULATE),
    "by_hour": listed(first("user_id, FLOOR(ts TO HOUR)"), HOP),
    "first_three": Case(COLUMNS, LEGACY.format(first("shop, item", 3))),
    "in_sessions": listed(first("user_id"), SESSION),
    "kept": Case(COLUMNS, ROWS.format(first("user_id, DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm')"))),
}
INSERTS = [case.insert(name) for name, case in CASES.items()]


def spans(name: str, at: int) -> list[tuple[int, int]]:
    """The windows of a row."""
    tens = at // (10 * MINUTE) * 10 * MINUTE
    hour = at // HOUR * HOUR
    twenty = at // (20 * MINUTE) * 20 * MINUTE
    return {
        "cumulated": [(hour, end) for end in range(tens + 10 * MINUTE, hour + HOUR + 1, 10 * MINUTE)],
        "by_hour": [(start, start + 30 * MINUTE) for start in range(tens - 20 * MINUTE, tens + 1, 10 * MINUTE)],
        "first_three": [(twenty, twenty + 20 * MINUTE)],
        "in_sessions": [(at, at + 7 * MINUTE)],
        "kept": [(twenty, twenty + 20 * MINUTE)],
    }[name]


KEYS = {
    "cumulated": (lambda one: one.user, 1),
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
    arrived = arriving(random_events(seed, 120, 3 * HOUR), seed, DELAY, late=0.2)
    return [arrived[:30], *cut(arrived[30:90], seed, batches), arrived[90:]]


@pytest.mark.timeout(900)
@any_cut
def test_a_stream_has_the_rows_that_came_first(spark, seed: int, batches: int) -> None:
    """A driver takes over before each batch. The verifier finds the same rows, in the order of the log."""
    history = shuffled(seed, batches)
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = plan_of(place, table(), *INSERTS)
        for batch in history:
            stream = Stream(spark, plan, place / "home")
            stream.absorb_batches(place, [batch])
        stream.end()
        for name in CASES:
            assert published(place, name) == oracle(name, history), name
        verdict = verify(spark, plan, stream.home)
        assert verdict.is_proven and verdict.late_rows > 0, verdict
