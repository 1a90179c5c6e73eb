"""Which batches can have brought rows of an interval, by the log alone: never fewer than those that have."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.home.log.entries import Commit, Entry, Lateness, OperatorState, Position, StateFile, entry_kind
from airflow_nrt.home.log.history.batch_times import brought_in_time
from airflow_nrt.home.log.history.history import History, read_history
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.windows import Window, cumulate, hop, over, session, tumble
from tests.sample import plan_of

KINDS = (tumble(10), tumble(10, 3), hop(4, 10), hop(10, 4), hop(10, 10), cumulate(10, 60), session(7), over(25))


PLAN = plan_of()


def plan_with(window: Window) -> Plan:
    return replace(PLAN, operators=tuple(replace(one, window=window) for one in PLAN.operators))


def is_in_windows(window: Window, rowtime: int) -> bool:
    """Whether a row of this time is in any; HOP can have gaps."""
    return int(window.first_end(window.slice_end(rowtime))) <= window.last_end(window.slice_end(rowtime))


def closes_with(window: Window, rowtime: int) -> int:
    """The end with which the partial of a row closes, as the state has it."""
    if not window.ends_on_grid:
        return rowtime + (window.size if window.bounded_by_rows else 1)
    return int(window.first_end(window.slice_end(rowtime)))


def history_of(*batches: OperatorState, late: tuple[Lateness, ...] = ()) -> History:
    """The history of batches that left the state of `w1` so."""
    entries = []
    for n, state in enumerate(batches):
        position = Position(operators={"w1": state})
        body = Commit("orders", (SourceFile(f"f{n}", 1, 1),), 1, 0, {}, {}, late, "ledger/1-a", (), position)
        entries.append(Entry(n, entry_kind(body), 1, 0, "", body))
    return read_history(entries, PLAN)


@pytest.mark.parametrize("window", KINDS, ids=str)
@given(data=st.data())
def test_a_batch_counts_wherever_one_of_its_rows_lies(window: Window, data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(-200, 200).filter(partial(is_in_windows, window)), min_size=1, max_size=4))
    start = data.draw(st.integers(-250, 250))
    end = start + data.draw(st.integers(1, 100))
    ends = [closes_with(window, at) for at in times]
    history = history_of(OperatorState(rows=(StateFile("s", min(ends), max(ends), 1),)))
    found = brought_in_time(plan_with(window), history, 0, start, end)
    assert found or not any(start <= at < end for at in times)


def test_only_what_a_batch_has_added_is_of_it() -> None:
    first, second = StateFile("a", 10, 20, 1), StateFile("b", 900, 910, 1)
    history = history_of(OperatorState(rows=(first,)), OperatorState(rows=(first, second)))
    found = [[brought_in_time(plan_with(tumble(10)), history, n, at, at + 10) for n in (0, 1)] for at in (0, 890, 500)]
    assert found == [[True, False], [False, True], [False, False]]


def test_a_batch_that_fired_its_own_windows_may_have_any_row() -> None:
    history = history_of(OperatorState(fired=1000))
    assert brought_in_time(plan_with(tumble(10)), history, 0, 0, 10)


def test_late_rows_are_not_what_a_batch_brought_in_time() -> None:
    history = history_of(OperatorState(), late=(Lateness("w1", 2, 1), Lateness("of another plan", 1, 1)))
    assert not brought_in_time(plan_with(tumble(10)), history, 0, 0, 10)
