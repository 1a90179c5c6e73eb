"""What a kept verdict says of a window."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.verdict import BadWindow, InsertVerdict, Verdict
from airflow_nrt.home.notes import verdicts
from airflow_nrt.home.notes.verdicts import KeptVerdict, keep_verdict, kept_verdicts
from tests.launch.homes import new_home


def verdict(unexplained: int = 1, entry: int = 9, **more: object) -> Verdict:
    bad = (BadWindow(0, 20, 1, 0, 0),)
    insert = InsertVerdict("curve", 4, 2, 1, unexplained, 0, {}, bad, (20, 30))
    return Verdict("report", "/home", entry, 0, 40, (insert,), **more)  # type: ignore[arg-type]


def test_each_window_is_equal_explained_or_a_mismatch() -> None:
    kept = KeptVerdict.of(verdict(), 1)
    assert [kept.of_window("curve", end, 9) for end in (10, 20, 30, 40)] == ["equal", "mismatch", "explained", "equal"]


def test_nothing_is_said_of_what_was_not_verified() -> None:
    kept = KeptVerdict.of(verdict(), 1)
    assert kept.of_window("curve", 50, 9) is None
    assert kept.of_window("curve", 10, 10) is None, "a newer version"
    assert kept.of_window("other", 10, 9) is None


def test_where_not_all_mismatches_are_named_a_difference_is_no_more_than_that() -> None:
    assert KeptVerdict.of(verdict(unexplained=2), 1).of_window("curve", 30, 9) == "different"


def test_a_home_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = new_home(tmp_path)
    monkeypatch.setattr(verdicts, "VERDICTS", 2)
    for entry in range(4):
        keep_verdict(home, verdict(entry=entry))
    kept = kept_verdicts(home, {})
    assert {one.entry for one in kept.values()} == {2, 3}
    (home.verdicts.local / f"{10**15 - 1}-1.json").write_text("{")
    assert {one.entry for one in kept_verdicts(home, kept).values()} == {3}
