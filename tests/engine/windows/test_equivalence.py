"""Slices give what brute force gives: in one batch, in any cut of the stream, in any order of arrival.

rows       ·  ··  · ···   ·        each row is joined with every window that holds it (DuckDB)
windows   [--------)                and the groups are compared, cell by cell
              [--------)
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.verify import verify
from tests.engine.oracle import Windowing, count_in, watermarks_before
from tests.engine.reports import (
    AGGREGATES,
    DAY,
    DELAY,
    HOUR,
    MINUTE,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    rows_of,
    source_file,
    write_events,
)

pytestmark = pytest.mark.usefixtures("several_tasks")

SECOND = 1000


def few(examples: int) -> settings:
    """A failing example costs seconds, and random rows do not shrink: it is reported as it was found."""
    return settings(max_examples=examples, phases=(Phase.explicit, Phase.generate), deadline=None)


def tumbles() -> st.SearchStrategy[Windowing]:
    sizes = st.sampled_from([7 * MINUTE, 15 * MINUTE, HOUR])
    return sizes.flatmap(lambda size: st.builds(Windowing, st.just("TUMBLE"), st.just(size), st.just(size), offsets()))


def hops() -> st.SearchStrategy[Windowing]:
    slides = st.sampled_from([5 * MINUTE, 9 * MINUTE, 20 * MINUTE, 90 * SECOND * 7])
    return st.builds(Windowing, st.just("HOP"), st.sampled_from([15 * MINUTE, HOUR, 4 * MINUTE]), slides, offsets())


def cumulates() -> st.SearchStrategy[Windowing]:
    steps = st.sampled_from([5 * MINUTE, 10 * MINUTE, 12 * MINUTE])
    return steps.flatmap(
        lambda step: st.builds(
            Windowing, st.just("CUMULATE"), st.sampled_from([step * 3, step * 12, step]), st.just(step), offsets()
        )
    )


def offsets() -> st.SearchStrategy[int]:
    return st.sampled_from([0, 3 * MINUTE, -100 * SECOND])


seeds = st.integers(0, 2**32)
any_window = st.one_of(tumbles(), hops(), cumulates())


@pytest.mark.timeout(300)
@few(10)
@given(any_window, seeds)
@example(Windowing("HOP", 10 * MINUTE, 4 * MINUTE), 1)  # the slide does not divide the size
@example(Windowing("HOP", 4 * MINUTE, 10 * MINUTE, MINUTE), 2)  # gaps
@example(Windowing("HOP", 2 * HOUR, MINUTE), 5)  # values by ranges: a slice is in more windows than a mask has bits
@example(Windowing("HOP", 62 * MINUTE, MINUTE), 6)  # and in as many
@example(Windowing("CUMULATE", DAY, 10 * MINUTE), 3)
@example(Windowing("TUMBLE", HOUR, HOUR, -7 * MINUTE), 4)
def test_batch_equals_brute_force(spark, windowing: Windowing, seed: int) -> None:
    events = random_events(seed, 300, 3 * HOUR)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        file = write_events(place / "events" / "all.csv", events)
        plan = plan_of(place, events_table(), curve_insert(windowing.sql))
        result = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file)]})
        rows = result.drop("_nrt_end").collect()
    assert ordered(rows) == count_in(windowing, [events], AGGREGATES)


def test_batch_before_the_epoch(spark, tmp_path: Path) -> None:
    windowing = Windowing("HOP", 10 * MINUTE, 4 * MINUTE, MINUTE)
    events = random_events(5, 200, 2 * HOUR, start=-HOUR)
    file = write_events(tmp_path / "events" / "all.csv", events)
    plan = plan_of(tmp_path, events_table(), curve_insert(windowing.sql))
    result = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file)]})
    assert ordered(result.drop("_nrt_end").collect()) == count_in(windowing, [events], AGGREGATES)


@pytest.mark.timeout(400)
@few(1)
@given(st.one_of(hops(), cumulates()), seeds, st.integers(4, 7))
@example(Windowing("HOP", 10 * MINUTE, 4 * MINUTE), 12, 5)
@example(Windowing("CUMULATE", 2 * HOUR, 10 * MINUTE, 30 * MINUTE), 14, 6)
def test_any_cut_gives_the_same(spark, windowing: Windowing, seed: int, batches: int) -> None:
    events = random_events(seed, 300, 4 * HOUR)
    arrived = cut(arriving(events, seed, DELAY), seed, batches)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        stream = streamed(spark, place, windowing, arrived)
        assert stream.driver.position.late == 0
        assert stream.firings >= 3
        assert rows_of(place / "curve") == count_in(windowing, [events], AGGREGATES)


@pytest.mark.timeout(400)
@few(1)
@given(any_window, seeds, st.integers(4, 6))
@example(Windowing("HOP", 10 * MINUTE, 4 * MINUTE), 22, 5)
@example(Windowing("CUMULATE", 2 * HOUR, 10 * MINUTE), 24, 5)
def test_late_rows_count_in_windows_still_open(spark, windowing: Windowing, seed: int, batches: int) -> None:
    check_late_rows(spark, windowing, seed, batches)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("windowing", "seed", "batches"),
    [
        (Windowing("TUMBLE", 15 * MINUTE, 15 * MINUTE), 21, 5),
        (Windowing("HOP", 4 * MINUTE, 10 * MINUTE), 23, 5),
        (Windowing("HOP", 2 * HOUR, MINUTE), 25, 4),
        (Windowing("HOP", HOUR, MINUTE), 26, 4),
    ],
    ids=str,
)
def test_late_rows_count_in_other_windows(spark, windowing: Windowing, seed: int, batches: int) -> None:
    check_late_rows(spark, windowing, seed, batches)


def check_late_rows(spark: SparkSession, windowing: Windowing, seed: int, batches: int) -> None:
    """S = B|arr, cell by cell, and the verifier explains every window in which it is not B."""
    events = random_events(seed, 300, 4 * HOUR)
    arrived = cut(arriving(events, seed, DELAY, late=0.2), seed, batches)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        stream = streamed(spark, place, windowing, arrived)
        rows = rows_of(place / "curve")
        assert rows == count_in(windowing, arrived, AGGREGATES, watermarks_before(arrived))
        complete = count_in(windowing, [events], AGGREGATES)
        verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven, verdict
    assert verdict.late_rows == stream.driver.position.late > 0
    assert verdict.inserts[0].rows["equal"] == len(set(rows) & set(complete))
    unlike = {row[:3] for row in set(rows) ^ set(complete)}
    assert verdict.inserts[0].rows["explained"] == len(unlike) > 0


def streamed(spark, place: Path, windowing: Windowing, batches) -> Stream:
    plan = plan_of(place, events_table(), curve_insert(windowing.sql))
    stream = Stream(spark, plan, place / "home")
    stream.absorb_batches(place, batches)
    stream.end()
    return stream
