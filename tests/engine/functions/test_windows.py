"""An aggregate in Python gives what brute force gives, in any cut of the stream and in the batch."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from airflow_nrt.model.windows import Window, cumulate, hop, session
from tests.engine.reports import (
    DELAY,
    EPOCH,
    HOUR,
    MINUTE,
    Event,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    insert_result,
    plan_of,
    random_events,
    rows_of,
    source_file,
)
from tests.python_modules import write_module

pytestmark = pytest.mark.usefixtures("several_tasks")

MODULE = """
    from collections import Counter
    from airflow_nrt.table.functions import AggregateFunction, Row

    class Digest(AggregateFunction):
        '''How many rows, the least and the greatest user, and how often each item came.'''
        def create_accumulator(self):
            return Row(0, [], {})
        def accumulate(self, acc, user, item):
            acc[0] += 1
            acc[1] = ends([*acc[1], user])
            if item is not None:
                acc[2][item] = acc[2].get(item, 0) + 1
        def merge(self, acc, others):
            for n, users, items in others:
                acc[0] += n
                acc[1] = ends([*acc[1], *users])
                acc[2] = dict(Counter(acc[2]) + Counter(items))
        def get_value(self, acc) -> str:
            return f"{acc[0]} {acc[1]} {sorted(acc[2].items())}"
        def get_accumulator_type(self):
            return "ROW<n BIGINT, users ARRAY<INT>, items MAP<STRING, BIGINT>>"

    def ends(users):
        known = sorted(user for user in users if user is not None)
        return [known[0], known[-1]] if known else []
"""
AGGREGATES = {"n": ("BIGINT", "COUNT(DISTINCT user_id)"), "digest": ("STRING", "digest(user_id, item)")}
WINDOWS = {
    "CUMULATE(INTERVAL '10' MINUTES, INTERVAL '2' HOURS)": cumulate(10 * MINUTE, 2 * HOUR),
    "HOP(INTERVAL '10' MINUTES, INTERVAL '25' MINUTES)": hop(10 * MINUTE, 25 * MINUTE),
    "SESSION(INTERVAL '3' MINUTES)": session(3 * MINUTE),
}


@pytest.mark.thorough
@pytest.mark.timeout(300)
@settings(max_examples=1, phases=(Phase.explicit,), deadline=None)
@given(st.sampled_from(sorted(WINDOWS)), st.integers(0, 2**32))
@example("CUMULATE(INTERVAL '10' MINUTES, INTERVAL '2' HOURS)", 1)
@example("HOP(INTERVAL '10' MINUTES, INTERVAL '25' MINUTES)", 2)
@example("SESSION(INTERVAL '3' MINUTES)", 3)
def test_stream_and_batch_equal_brute_force(spark, text: str, seed: int) -> None:
    events = random_events(seed, 200, 3 * HOUR)
    expected = sorted(brute_force(WINDOWS[text], events), key=repr)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        target = f"{write_module(place, MODULE)}.Digest"
        declared = f"CREATE FUNCTION digest AS '{target}' LANGUAGE PYTHON;"
        table = "events PARTITION BY shop" if "SESSION" in text else "events"
        plan = plan_of(place, declared, events_table(), curve_insert(text, AGGREGATES, source=table))
        stream = Stream(spark, plan, place / "home")
        stream.absorb_batches(place, cut(arriving(events, seed, DELAY), seed, 3))
        stream.end()
        assert sorted(map(tuple, rows_of(place / "curve")), key=repr) == expected
        files = [source_file(file) for file in sorted((place / "events").glob("*.csv"))]
        result = insert_result(spark, plan, plan.inserts[0], {"events": files}).drop("_nrt_end", "_nrt_start")
        assert sorted(map(tuple, result.collect()), key=repr) == expected


def brute_force(window: Window, events: Sequence[Event]) -> Iterator[tuple[object, ...]]:
    groups: dict[tuple[int | None, int, int], list[Event]] = defaultdict(list)
    for shop in {event.shop for event in events}:
        mine = [event for event in events if event.shop == shop]
        for start, end, held in windows_of(window, mine):
            groups[shop, start, end] += held
    for (shop, start, end), held in groups.items():
        users = sorted({event.user for event in held if event.user is not None})
        ends = [users[0], users[-1]] if users else []
        items = sorted(Counter(event.item for event in held if event.item is not None).items())
        yield shop, time(start), time(end), len(users), f"{len(held)} {ends} {items}"


def windows_of(window: Window, events: Sequence[Event]) -> Iterator[tuple[int, int, list[Event]]]:
    """Start, end and rows of the windows of one key, whose rows are sorted by time."""
    if window.kind == "SESSION":
        while events:
            size = next((n for n, (a, b) in enumerate(pairwise(events), 1) if b.at > a.at + window.size), None)
            held, events = list(events[:size]), events[len(events) if size is None else size :]
            yield held[0].at, held[-1].at + window.size, held
        return
    ends = {end for event in events for end in window.ends(window.slice_end(event.at))}
    for end in ends:
        yield (start := window.start(end)), end, [event for event in events if start <= event.at < end]


def time(ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=ms)
