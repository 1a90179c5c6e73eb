"""What every store does: the operations of a home, on a file system and in memory."""

from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.store.faulty import FaultyStore
from airflow_nrt.home.store.memory import MemoryStore
from airflow_nrt.home.store.posix import PosixStore
from airflow_nrt.home.store.store import Store
from airflow_nrt.home.store.store_path import StorePath

STORES: dict[str, Callable[[Path], Store]] = {
    "posix": PosixStore,
    "memory": lambda _: MemoryStore(),
    "without faults": lambda _: FaultyStore(MemoryStore(), lambda operation, key: None),
}


@pytest.fixture(params=STORES)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> StorePath:
    return StorePath(STORES[request.param](tmp_path))


def test_a_file_is_created_once(root: StorePath) -> None:
    (root / "log").make()
    file = root / "log" / "0.json"
    assert not file.exists() and file.seen() is None
    assert file.put_if_absent(b"ours") and not file.put_if_absent(b"theirs")
    assert file.read() == b"ours" and file.exists() and (root / "log").exists()


def test_of_many_who_create_it_one_does(root: StorePath) -> None:
    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(lambda n: (root / "0.json").put_if_absent(b"%d" % n), range(40)))
    assert done.count(True) == 1 and (root / "0.json").read() == b"%d" % done.index(True)


def test_of_many_who_replace_what_they_have_read_each_does_or_learns_it(root: StorePath) -> None:
    count = root / "count"
    count.replace(b"0")

    def add(_: int) -> None:
        while True:
            before = count.read()
            if count.replace_if_unchanged(b"%d" % (int(before) + 1), before):
                return

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(40)))
    assert count.read() == b"40"


def test_what_is_not_there_is_not_replaced(root: StorePath) -> None:
    assert not (root / "stop").replace_if_unchanged(b"new", b"old")
    assert not (root / "stop").exists()


def test_a_change_shows(root: StorePath) -> None:
    file = root / "report.json"
    file.replace(b"one")
    before = file.seen()
    file.replace(b"two")
    assert before is not None and file.seen() not in (None, before) and file.age() < 60


def test_what_lies_below(root: StorePath) -> None:
    for name in ("a", "b"):
        (root / "notes" / "tasks").make()
        (root / "notes" / "tasks" / f"{name}.json").replace(b"{}")
    assert root.names() == ["notes"] and sorted((root / "notes" / "tasks").names()) == ["a.json", "b.json"]
    assert [one.name for one in (root / "notes" / "tasks").below(".json")] == ["a.json", "b.json"]
    assert len((root / "notes" / "tasks").names(1)) == 1
    assert (root / "none").names() == (root / "notes" / "tasks" / "a.json" / "x").names() == []
    assert (root / "notes" / "tasks" / "a.json").stem == "a"


def test_what_is_appended_has_a_bound(root: StorePath) -> None:
    file = root / "samples.jsonl"
    assert file.append(b"one\n", 8) and file.append(b"two\n", 8) and not file.append(b"three\n", 8)
    assert file.read() == b"one\ntwo\n"
    with file.open() as content:
        content.seek(-4, 2)
        assert content.read() == b"two\n"


def test_what_is_removed(root: StorePath) -> None:
    (root / "state" / "w1").make()
    (root / "state" / "w1" / "part").replace(b"1")
    (root / "state" / "none").delete()
    (root / "state").delete_all()
    (root / "state").delete_all()
    assert not (root / "state").exists() and not (root / "state" / "w1" / "part").exists()


@pytest.mark.parametrize("ask", [StorePath.read, StorePath.open, StorePath.age])
def test_a_file_that_is_not_there(root: StorePath, ask: Callable[[StorePath], object]) -> None:
    with pytest.raises(FileNotFoundError):
        ask(root / "log" / "0.json")


def test_a_file_that_is_too_large(root: StorePath) -> None:
    (root / "stop").replace(b"x" * 11)
    with pytest.raises(HomeError, match="stop has more than 10 bytes"):
        (root / "stop").read(10)


def test_on_a_file_system_files_are_private(tmp_path: Path) -> None:
    root = StorePath(PosixStore(tmp_path))
    (root / "notes").make()
    for change in (StorePath.replace, StorePath.put_if_absent, StorePath.append):
        change(root / "notes" / change.__name__, b"content")
        assert stat.S_IMODE((root / "notes" / change.__name__).local.stat().st_mode) == 0o600
    assert stat.S_IMODE((root / "notes").local.stat().st_mode) == 0o700


def test_what_is_in_memory_is_on_no_file_system() -> None:
    with pytest.raises(HomeError, match="is on no file system"):
        (StorePath(MemoryStore()) / "state").local
