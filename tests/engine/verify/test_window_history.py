"""Which commit is named for a window that is wrong, of a table's commits by the home and by others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airflow_nrt.describe.table_history import TableCommit, WindowHistory
from airflow_nrt.engine.sinks.table_versions import TableVersions, VersionCommit
from airflow_nrt.engine.verify import window_history
from airflow_nrt.engine.verify.window_history import Ends, histories

OWN = {1: 10, 2: 20, 5: 50}
"""Versions that the home has made, with their entries. 0 made the table, 3 and 6 changed rows, 4 was a compaction."""


def commits() -> Iterator[VersionCommit]:
    for version in range(6, -1, -1):
        made = TableCommit(version, 0, "WRITE" if version in OWN else "UPDATE")
        yield VersionCommit(made, version - 1 if version else None, OWN.get(version), version in (3, 6))


def told(*wrong_in: int) -> WindowHistory:
    """Of a window of entry 20 that is wrong in version 6, and in these."""

    def wrong(version: int, ends: Ends) -> Ends:
        return {end for end in ends if version in wrong_in}

    return histories(commits(), {7: 20}, wrong)[7]


def test_the_last_change_is_named() -> None:
    last = told(3, 4)
    assert last.changed_by is not None and (last.changed_by.version, last.right_in) == (6, 5)
    first = told(3, 4, 5)
    assert first.changed_by is not None and (first.changed_by.version, first.right_in) == (3, 2)


def test_a_window_that_was_published_so() -> None:
    history = told(2, 3, 4, 5)
    assert history.changed_by is None and history.text.startswith("it has been so since version 2 of ")
    assert history.text.endswith("published it, for log entry 20")


def test_a_compaction_that_changed_rows_is_named() -> None:
    """Version 4 says that it changes no row."""
    between = told(4, 5)
    assert between.changed_by is not None and (between.changed_by.version, between.right_in) == (4, 3)


def test_a_compaction_after_the_last_version_of_the_home() -> None:
    """Versions 3 to 5 are compactions, and one of them, or none, has changed the window."""

    def commits() -> Iterator[VersionCommit]:
        for version in range(5, 0, -1):
            entry = OWN.get(version) if version < 3 else None
            yield VersionCommit(TableCommit(version, 0, "OPTIMIZE"), version - 1, entry, False)

    def wrong_in(*versions: int) -> WindowHistory:
        return histories(commits(), {7: 20}, lambda version, ends: {end for end in ends if version in versions})[7]

    last = wrong_in()
    assert last.changed_by is not None and (last.changed_by.version, last.right_in) == (5, 4)
    first = wrong_in(3, 4)
    assert first.changed_by is not None and (first.changed_by.version, first.right_in) == (3, 2)
    assert wrong_in(2, 3, 4).text.startswith("it has been so since version 2 of ")


def test_a_compaction_is_told_from_the_change_before_it() -> None:
    """The change in version 2 is of another window."""

    def commits() -> Iterator[VersionCommit]:
        for version, entry, changes in ((3, None, False), (2, None, True), (1, 10, True)):
            yield VersionCommit(TableCommit(version, 0, "WRITE"), version - 1, entry, changes)

    history = histories(commits(), {7: 10}, lambda version, ends: set())[7]
    assert history.changed_by is not None and (history.changed_by.version, history.right_in) == (3, 2)


def test_no_more_versions_are_read_than_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_history, "LOOKED_AT", 1)
    assert "it is so since version 6 " in told(2, 3, 4, 5).text
    monkeypatch.setattr(window_history, "WALKED", 3)
    assert "it is so since version 6 " in told(2, 3, 4, 5).text


def test_the_version_of_an_entry() -> None:
    past = TableVersions(6, 50, commits)
    assert [past.version_of(entry) for entry in (60, 50, 49, 20, 10)] == [6, 6, 4, 4, 1]
    assert past.version_of(9) is None
