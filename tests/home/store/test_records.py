"""What several processes change at once keeps the change of each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from airflow_nrt.home.store.memory import MemoryStore
from airflow_nrt.home.store.posix import PosixStore
from airflow_nrt.home.store.records import update
from airflow_nrt.home.store.store import Store
from airflow_nrt.home.store.store_path import StorePath


@pytest.mark.parametrize("kind", ["posix", "memory"])
def test_of_many_changes_each_counts(kind: str, tmp_path: Path) -> None:
    store: Store = PosixStore(tmp_path) if kind == "posix" else MemoryStore()
    note = StorePath(store, "note")
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: update(note, lambda content: (content or b"") + b"%d\n" % n), range(40)))
    assert sorted(map(int, note.read().split())) == list(range(40))


def test_nothing_to_change(tmp_path: Path) -> None:
    note = StorePath(PosixStore(tmp_path), "note")
    update(note, lambda content: None)
    assert not note.exists()
