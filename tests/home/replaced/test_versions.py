"""The versions of windows, as a log says; and what retention leaves of their rows."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.basics.durations import DAY
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Fill, Published, Restate, Undo
from airflow_nrt.home.log.named_files import NamedFile
from airflow_nrt.home.log.past.past_entry import PastEntry
from airflow_nrt.home.log.pins import Pin
from airflow_nrt.home.replaced.kept_rows import (
    REPLACED,
    SumsOfWindows,
    WindowSums,
    new_directory,
    remove_old,
    write_after,
    write_before,
)
from airflow_nrt.home.replaced.versions import WindowVersion, versions_of

ANNA = Author("anna", "undo")
FILE = NamedFile("a.parquet", 1, 2)


def published(state: str, rows: int, target: str = "a", insert: str = "curve") -> Published:
    return Published(insert, 0, 7, state, rows, "", "staged/1/a", target)


def versions(home: Home, *entries: PastEntry) -> list[WindowVersion]:
    return versions_of(home, entries)["curve", 7]


def by_driver(n: int, *some: Published, removed: tuple[str, ...] = ()) -> PastEntry:
    return PastEntry(n, n, 1, some, removed)


def restated(n: int, *some: Published, removed: tuple[str, ...] = (), **more: object) -> PastEntry:
    return PastEntry(n, n, None, some, removed, Restate(some, removed, "repair", {}, n - 1, **more))  # type: ignore[arg-type]


def test_why_a_stream_has_published_a_version(tmp_path: Path) -> None:
    home = Home(tmp_path)
    states = ("early", "early", "complete", "late", "last")
    some = versions(home, *(by_driver(n, published(state, n)) for n, state in enumerate(states)))
    assert [one.why for one in some] == ["early result"] * 2 + ["first result"] + ["late update"] * 2
    assert [(one.version, one.rows, one.epoch, one.by) for one in some] == [(n, n, 1, None) for n in range(5)]
    filled = PastEntry(3, 3, 1, (published("filled", 1),), (), Fill("curve", "twin", (), 1))
    assert versions(home, filled)[0].why == "filled from twin"


def test_a_window_may_have_several_files_and_lose_them(tmp_path: Path) -> None:
    two = (published("complete", 2, "a"), published("complete", 3, "b"))
    removals = (restated(n, removed=(f"curve/{name}",)) for n, name in ((3, "b"), (4, "a")))
    some = versions(Home(tmp_path), by_driver(1, *two), restated(2, published("restated", 4, "a")), *removals)
    assert [(one.version, one.rows) for one in some] == [(1, 5), (2, 7), (3, 4), (4, 0)]


def test_what_is_kept_and_what_has_changed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    directory = new_directory(home, 1000)
    key = f"{directory.key}/{REPLACED}/curve"
    write_before(directory, SumsOfWindows({"curve": {7: WindowSums(2, {"n": "5"})}}, 9))
    before, again = by_driver(1, published("complete", 2)), published("restated", 2)
    first, second = versions(home, before, restated(2, again, kept={key: (FILE,)}, by=ANNA))
    assert (first.sums, first.kept, first.files, first.kept_until) == (WindowSums(2, {"n": "5"}), key, (FILE,), 9)
    assert (second.sums, second.kept, second.by) == (None, None, ANNA)
    write_after(directory, SumsOfWindows({"curve": {7: WindowSums(2, {"n": "6"})}}))
    undone = restated(3, again, undo=Undo("curve", 7, 1, "x"), by=ANNA)
    entries = before, restated(2, again, kept={key: (FILE,)}), undone
    assert [one.sums and one.sums.sums["n"] for one in versions(home, *entries)] == ["5", "6", None]
    assert [one.undone_to for one in versions(home, *entries)] == [None, None, 1]
    directory.delete_all()
    # Rows that a window is set to stay as long as it is.
    assert [one.kept for one in versions(home, *entries)] == [None, None, "x"]


def test_what_retention_leaves(tmp_path: Path) -> None:
    home, now = Home(tmp_path), 100 * DAY
    old, pinned, new = (new_directory(home, at) for at in (now - 8 * DAY, now - 9 * DAY, now - 6 * DAY))
    for one in (old, pinned, new):
        write_before(one, SumsOfWindows())
        (one / "set").make()
        (one / REPLACED).make()
    (home.versions / "somebody's").make()
    pin = Pin("curve", 7, 1, 1, ANNA, 1, f"{pinned.key}/set/curve")
    remove_old(home, [pin], 7 * DAY, now)
    assert {*home.versions.names()} == {pinned.name, new.name, "somebody's"}
    assert pinned.names() == ["set"] and {*new.names()} == {"before.json", "set", REPLACED}
    remove_old(home, [], 7 * DAY, now)
    assert {*home.versions.names()} == {new.name, "somebody's"}
