"""How what has arrived is cut into batches."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.engine.driver.feed import take_batch
from airflow_nrt.home.log.splits import SourceFile


def cut(sizes: list[int], cap: int) -> list[list[int]]:
    pending = deque(SourceFile(str(n), size, n) for n, size in enumerate(sizes))
    batches = []
    while pending:
        batches.append([file.size for file in take_batch(pending, cap)])
    return batches


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40), st.integers(1, 5000))
def test_all_in_their_order_and_no_more_than_the_cap(sizes: list[int], cap: int) -> None:
    batches = cut(sizes, cap)
    assert [size for batch in batches for size in batch] == sizes
    assert all(len(batch) == 1 or sum(batch) <= cap for batch in batches)


def test_what_fits_is_one_batch_and_what_does_not_is_cut_evenly() -> None:
    assert [len(batch) for batch in cut([10] * 48, 480)] == [48]
    assert [len(batch) for batch in cut([10] * 48, 479)] == [24, 24]
    assert [len(batch) for batch in cut([10] * 7, 30)] == [2, 3, 2]
    assert [len(batch) for batch in cut([0] * 5, 1)] == [5]
