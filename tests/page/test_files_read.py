"""What an answer reads from homes: what was read once is not read again, and a list reads no more of a longer log."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from airflow_nrt.home.ids import home_id
from tests.page.lab import Lab, know_dags
from tests.page.made_homes import make_homes
from tests.page.serve import DAGS

REPORTS, FEW, MANY = 10, 300, 3000
_opened: list[list[str]] = []


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        for files in _opened:
            files.append(str(arguments[0]))


@pytest.fixture(scope="module", autouse=True)
def _hook() -> None:
    # Nothing removes a hook again; between tests it has no list to write to.
    sys.addaudithook(_count)


@contextmanager
def opened() -> Iterator[list[str]]:
    """The files that this process opens, in whatever thread."""
    files: list[str] = []
    _opened.append(files)
    try:
        yield files
    finally:
        _opened.remove(files)


def asked(lab: Lab, path: str) -> int:
    """How many files an answer opens."""
    with opened() as files:
        lab.get(path, role="viewer")
    return len(files)


def made(root: Path, windows: int) -> tuple[Lab, str]:
    homes = list(make_homes(root, reports=REPORTS, windows=windows))
    know_dags(*DAGS)
    return Lab.over(root), f"reports/{home_id(homes[0].home.path)}"


@pytest.mark.slow
def test_an_answer_reads_what_is_new_and_a_list_the_end_of_each_log(lab: Lab, tmp_path: Path) -> None:
    first: dict[int, int] = {}
    for windows in (FEW, MANY):
        many, one = made(tmp_path / f"homes{windows}", windows)
        parts = [one, *(f"{one}/{part}" for part in ("curve", "timeline", "windows?limit=500"))]
        first[windows] = asked(many, "reports")
        of_one = [asked(many, part) for part in parts]
        assert first[windows] > REPORTS and of_one[0] > 4 * REPORTS
        # Heartbeats and the ends of logs.
        assert asked(many, "reports") <= 4 * REPORTS
        # Of two answers: now and then one finds that the list of all reports is due.
        assert max(min(asked(many, part), asked(many, part)) for part in parts) <= 4
    print(f"files opened by a list: {first}")
    assert first[MANY] < 1.1 * first[FEW]
