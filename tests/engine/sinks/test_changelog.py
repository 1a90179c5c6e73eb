"""However a stream is cut, its folded changelog is the batch and what DuckDB says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.engine.reports import (
    DELAY,
    HOUR,
    Event,
    Stream,
    arriving,
    cut,
    insert_result,
    ordered,
    random_events,
    rows_of,
    source_file,
    write_events,
)
from tests.engine.updating.queries import QUERIES, changing_plan, folded, said_by_duckdb

pytestmark = pytest.mark.usefixtures("several_tasks")

HIDDEN = ("_nrt_after", "_nrt_key")


def some_events(seed: int, count: int) -> list[Event]:
    """In the order of arrival, none of them late; no two at one time."""
    events = {event.at: event for event in random_events(seed, count, 3 * HOUR)}
    return arriving(list(events.values()), seed, DELAY)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "queries",
    [pytest.param([*QUERIES][::3], id="some"), pytest.param([*QUERIES], id="all", marks=pytest.mark.thorough)],
)
@settings(max_examples=1, phases=(Phase.explicit, Phase.generate), deadline=None)
@given(st.integers(0, 2**32), st.just(3))
def test_folded_it_is_the_table(spark, queries: list[str], seed: int, batches: int) -> None:
    """A second driver goes on in the middle from what the first has stored."""
    events = some_events(seed, 150)
    arrived = cut(events, seed, batches)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        plan = changing_plan(place, *queries)
        Stream(spark, plan, place / "home").absorb_batches(place, arrived[:2])
        second = Stream(spark, plan, place / "home")
        second.absorb_batches(place, arrived[2:])
        second.end()
        everything = write_events(place / "all.csv", events)
        said = said_by_duckdb(everything, queries)
        for insert in plan.inserts:
            batch = insert_result(spark, plan, insert, {"events": [source_file(everything)]}).drop(*HIDDEN)
            if not insert.changes:
                assert rows_of(place / insert.name) == said[insert.name] == ordered(batch.collect()), insert.name
                continue
            told = folded(place / insert.name)
            assert told.table == said[insert.name] == ordered(batch.collect()), insert.name
            assert told.ops["-U"] == told.ops["+U"]
