"""Samples in memory are bounded by the size of their files, over all homes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.samples import read_samples, sampled_files
from airflow_nrt.page.homes.known_samples import KnownSamples
from tests.page.made_homes import INSERT, Made


def days_of(homes: dict[str, Made]) -> Iterator[tuple[Home, str]]:
    for one in homes.values():
        for day in sorted(os.listdir(one.home.samples.local / INSERT)):
            yield one.home, day


def size_of(home: Home, day: str) -> int:
    return sum(seen.size for seen in sampled_files(home, INSERT, day).values())


def test_what_was_asked_for_first_goes_first(homes: dict[str, Made]) -> None:
    days = list(days_of(homes))
    most = sum(size_of(*one) for one in days) - 1
    known = KnownSamples(most)
    kept = {one: known.of_day(one[0], INSERT, one[1]) for one in days}
    assert 0 < known.size <= most
    for home, day in days:
        assert kept[home, day] == read_samples(sampled_files(home, INSERT, day))
    last, first = days[-1], days[0]
    assert known.of_day(last[0], INSERT, last[1]) is kept[last]
    assert known.of_day(first[0], INSERT, first[1]) is not kept[first]


def test_a_day_is_kept_however_large_it_is(homes: dict[str, Made]) -> None:
    known = KnownSamples(1)
    home, day = next(days_of(homes))
    assert known.of_day(home, INSERT, day) is known.of_day(home, INSERT, day)
    assert known.size == size_of(home, day)


def test_what_is_new_is_read(fresh: Made, tmp_path: Path) -> None:
    known, (home, day) = KnownSamples(), next(days_of({"fresh": fresh}))
    before = known.of_day(home, INSERT, day)
    (file, *_) = sampled_files(home, INSERT, day)
    content = file.read()
    file.replace(content.partition(b"\n")[2])
    assert len(known.of_day(home, INSERT, day)) == len(before) - 1
    assert known.size == size_of(home, day)
