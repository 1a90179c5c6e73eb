"""Windows and slices against brute force: all windows near a row are listed, and the definition is applied to each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows import Sql, Window, counts_in, cumulate, hop, is_complete, tumble

# Small numbers meet boundaries often; days around 1970 and 1900 are what people have.
TIMES = st.one_of(st.integers(-200, 200), st.integers(-70 * 365 * DAY, 100 * 365 * DAY))
WATERMARKS = st.one_of(st.none(), TIMES)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    unit = draw(st.sampled_from([1, 7, 1_000, MINUTE]))
    kind = draw(st.sampled_from(["TUMBLE", "HOP", "CUMULATE"]))
    offset = unit * draw(st.integers(-30, 30)) + draw(st.integers(-1, 1))
    if kind == "TUMBLE":
        size = unit * draw(st.integers(2, 12))
        return tumble(size, offset % size - draw(st.sampled_from([0, size - 1])))
    if kind == "HOP":
        return hop(unit * draw(st.integers(1, 12)), unit * draw(st.integers(1, 12)), offset)
    step = unit * draw(st.integers(1, 6))
    return cumulate(step, step * draw(st.integers(1, 8)), offset)


def holding(window: Window, at: int) -> list[tuple[int, int]]:
    """All windows `(start, end)` that hold a rowtime, by definition."""
    return sorted((start, end) for start, end in _near(window, at) if start <= at < end)


def _near(window: Window, at: int) -> Iterator[tuple[int, int]]:
    """Every window that could hold this rowtime, and some that can't."""
    stride = window.size if window.kind == "CUMULATE" else window.stride
    first = (at - window.size - window.offset) // stride - 1
    last = (at - window.offset) // stride + 1
    for number in range(first, last + 1):
        start = window.offset + number * stride
        if window.kind == "CUMULATE":
            yield from ((start, start + steps) for steps in range(window.stride, window.size + 1, window.stride))
        else:
            yield start, start + window.size


@given(windows(), TIMES)
def test_the_windows_of_a_row(window: Window, at: int) -> None:
    ends = list(window.ends(window.slice_end(at)))
    assert [(window.start(end), end) for end in ends] == holding(window, at)
    assert all(window.earliest_row(end) == window.start(end) for end in ends)


@given(windows(), TIMES)
def test_a_row_lies_in_its_slice(window: Window, at: int) -> None:
    end = window.slice_end(at)
    start = window.slices.shifted(end, -1)
    assert start <= at < end
    assert window.slice_end(end - 1) == window.slice_end(start) == end


@given(windows(), TIMES)
def test_no_window_boundary_cuts_a_slice(window: Window, at: int) -> None:
    end = window.slice_end(at)
    start = window.slices.shifted(end, -1)
    for boundaries in _near(window, at):
        assert not any(start < boundary < end for boundary in boundaries)


@given(windows(), TIMES, WATERMARKS)
def test_counts_in(window: Window, at: int, watermark: int | None) -> None:
    held = {end for _, end in holding(window, at)}
    for _, end in _near(window, at):
        open_then = watermark is None or watermark < end - 1
        assert counts_in(window, window.slice_end(at), watermark, end) == (end in held and open_then)


@given(windows(), TIMES, TIMES)
def test_counted_from_is_the_first_window_that_counts(window: Window, at: int, watermark: int) -> None:
    slice_end = window.slice_end(at)
    counting = [end for end in window.ends(slice_end) if counts_in(window, slice_end, watermark, end)]
    counted_from, last = window.counted_from(slice_end, watermark), window.last_end(slice_end)
    assert counting == list(range(counted_from, last + 1, window.stride))


@given(windows(), TIMES)
def test_what_is_complete(window: Window, watermark: int) -> None:
    last = window.last_complete_end(watermark)
    assert is_complete(last, watermark)
    assert not is_complete(window.first_open_end(watermark), watermark)
    assert list(window.ends_between(last, window.first_open_end(watermark))) == [last + window.stride]
    assert not is_complete(last, None)


@given(windows(), TIMES, st.integers(0, 40))
def test_ends_between(window: Window, after: int, strides: int) -> None:
    until = after + strides * window.stride
    listed = {end for at in range(after, until + 1, window.slices.shortest) for _, end in _near(window, at)}
    assert list(window.ends_between(after, until)) == sorted(end for end in listed if after < end <= until)


@given(windows(), TIMES)
def test_gaps_are_of_hop_alone(window: Window, at: int) -> None:
    assert window.has_gaps == (window.kind == "HOP" and window.stride > window.size)
    assert window.has_gaps or holding(window, at)


def test_the_picture_of_cumulate() -> None:
    window = cumulate(10 * MINUTE, 30 * MINUTE)
    assert [end // MINUTE for end in window.ends(window.slice_end(5 * MINUTE))] == [10, 20, 30]
    assert [end // MINUTE for end in window.ends(window.slice_end(20 * MINUTE))] == [30]
    assert [end // MINUTE for end in window.ends(window.slice_end(-1))] == [0]


def test_the_gaps_of_a_slide_longer_than_its_size() -> None:
    window = hop(10 * MINUTE, 4 * MINUTE)
    assert [list(window.ends(window.slice_end(minute * MINUTE))) for minute in (0, 3, 4, 9)] == [
        [4 * MINUTE], [4 * MINUTE], [], []
    ]  # fmt: skip


def test_the_last_millisecond_decides() -> None:
    window = tumble(10 * MINUTE)
    end = 10 * MINUTE
    assert counts_in(window, end, end - 2, end)
    assert not counts_in(window, end, end - 1, end)


@given(windows(), TIMES, TIMES)
def test_the_sql_formulas_are_the_same(window: Window, at: int, watermark: int) -> None:
    """Evaluated by Python with Spark's meaning of `pmod` and `greatest`."""
    meaning = {"pmod": lambda a, b: a % b, "greatest": max, "at": at, "watermark": watermark}

    def value(formula: Sql) -> int:
        return eval(str(formula).replace("L", ""), meaning)

    slice_end = window.slice_end(Sql("at"))
    assert value(slice_end) == window.slice_end(at)
    for name in ("first_end", "last_end"):
        assert value(getattr(window, name)(slice_end)) == getattr(window, name)(window.slice_end(at))
    assert value(window.start(slice_end)) == window.start(window.slice_end(at))
    counted = window.counted_from(slice_end, Sql("watermark"))
    assert value(counted) == window.counted_from(window.slice_end(at), watermark)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tumble(0), "TUMBLE table function based aggregate requires size to be positive, but got 0 ms."),
        (
            lambda: tumble(600_000, 780_000),
            "TUMBLE table function parameters must satisfy abs(offset) < size, "
            "but got size 600000 ms and offset 780000 ms.",
        ),
        (
            lambda: tumble(600_000, -600_000),
            "TUMBLE table function parameters must satisfy abs(offset) < size, "
            "but got size 600000 ms and offset -600000 ms.",
        ),
        (
            lambda: hop(0, 600_000),
            "HOP table function based aggregate requires slide and size to be positive, "
            "but got slide 0 ms and size 600000 ms.",
        ),
        (
            lambda: cumulate(0, 600_000),
            "CUMULATE table function based aggregate requires maxSize and step to be positive, "
            "but got maxSize 600000 ms and step 0 ms.",
        ),
        (
            lambda: cumulate(180_000, 600_000),
            "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, "
            "but got maxSize 600000 ms and step 180000 ms: 10 minutes is not a multiple of 3 minutes.",
        ),
        (
            lambda: cumulate(HOUR, 10 * MINUTE),
            "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, "
            "but got maxSize 600000 ms and step 3600000 ms: 10 minutes is not a multiple of 1 hour.",
        ),
    ],
)
def test_what_flink_refuses(make, message: str) -> None:
    with pytest.raises(InputError) as refused:
        make()
    assert str(refused.value) == message


def test_what_flink_takes() -> None:
    assert str(hop(4 * MINUTE, 10 * MINUTE)) == "HOP 4 minutes / 10 minutes"
    assert str(hop(5 * MINUTE, 5 * MINUTE, 7 * HOUR)) == "HOP 5 minutes / 5 minutes, offset 7 hours"
    assert str(cumulate(DAY, DAY, -8 * HOUR)) == "CUMULATE 1 day / 1 day, offset -8 hours"
    assert str(tumble(1)) == "TUMBLE 1 ms"
