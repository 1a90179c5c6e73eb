"""The watermark of an operator over several sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.instants import END_OF_TIME, parse_instant
from airflow_nrt.home.log.entries import SourceState
from airflow_nrt.home.log.position.watermarks import advanced, operator_watermark, with_clock
from airflow_nrt.model.internal_columns import CLOCK

WATERMARKS = st.one_of(st.none(), st.integers(1, 1000))
STATES = st.builds(SourceState, watermark=WATERMARKS, idle=st.booleans(), ended=st.booleans())


@pytest.mark.parametrize(
    ("watermark", "proposal", "after"),
    [(None, None, None), (None, 5, 5), (7, 5, 7), (5, 7, 7), (5, None, 5), (None, 0, None), (None, -5, None)],
)
def test_a_source_never_goes_back_and_begins_behind_1970(
    watermark: int | None, proposal: int | None, after: int | None
) -> None:
    assert advanced(watermark, proposal) == after


@given(WATERMARKS, st.dictionaries(st.sampled_from("abc"), STATES, min_size=1))
def test_the_minimum_over_the_sources_that_hold_time_back(before: int | None, sources: dict[str, SourceState]) -> None:
    after = operator_watermark(before, sources, sources)
    holding = [state.watermark for state in sources.values() if not state.idle and not state.ended]
    if all(state.ended for state in sources.values()):
        assert after == END_OF_TIME
    elif not holding or None in holding:
        assert after == before
    else:
        assert after == max(min(holding), before or 0)


def test_instants_and_wall_clocks_meet_on_the_clock_of_the_windows() -> None:
    instant, clock = parse_instant("2024-11-03 05:30"), parse_instant("2024-11-03 01:10")
    sources = {"a": SourceState(instant), "b": SourceState(clock)}
    zones = {"a": "America/New_York"}
    assert operator_watermark(None, sources, ["a"], zones) == parse_instant("2024-11-03 01:00") - 1
    assert operator_watermark(None, sources, ["b"], zones) == clock
    sources["a"] = SourceState(instant + 3_600_000)
    assert operator_watermark(None, sources, ["a", "b"], zones) == clock


def test_other_sources_do_not_count() -> None:
    sources = {"a": SourceState(10), "b": SourceState(5)}
    assert operator_watermark(None, sources, ["a"]) == 10
    assert operator_watermark(None, sources, ["a", "b"]) == 5
    assert operator_watermark(None, sources, ["a", "not read yet"]) is None


def test_the_clock_ends_with_all_sources_where_rows_wait_for_others() -> None:
    sources = with_clock({"a": SourceState(10, ended=True), "b": SourceState(5)}, 100)
    assert operator_watermark(None, sources, [CLOCK], waits=True) == 99
    ended = {**sources, "b": SourceState(5, ended=True)}
    assert operator_watermark(99, ended, [CLOCK], waits=True) == END_OF_TIME
    assert operator_watermark(99, ended, [CLOCK]) == 99
