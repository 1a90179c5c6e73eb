"""Which files of a ledger count: those that its entry names, and of earlier versions all that are there."""

from __future__ import annotations

from airflow_nrt.home.log.entries import Commit, Position
from airflow_nrt.home.log.named_files import NamedFile
from airflow_nrt.home.store.memory import MemoryStore
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.ledger_files import ledger_files

COMMIT = Commit("s", (), 1, 0, {}, {}, (), "ledger/1-a", (), Position())
NAMES = ("late-w1/part-0.txt", "late-w1/part-1.txt", "rejected/part-files.txt")


def home() -> StorePath:
    root = StorePath(MemoryStore())
    for name in NAMES:
        (root / "ledger/1-a" / name).replace(b"{}")
    return root


def files(commit: Commit) -> dict[str, list[str]]:
    return {name: [file.name for file in found] for name, found in ledger_files(home(), commit).items()}


def test_an_entry_names_its_files() -> None:
    written = {
        "state/w1/1-b": (NamedFile("part-0.parquet", 9, 1),),
        "ledger/1-a/late-w1": (NamedFile("part-1.txt", 2, 1),),
    }
    named = Commit("s", (), 1, 0, {}, {}, (), "ledger/1-a", (), Position(), written=written)
    assert files(named) == {"late-w1": ["part-1.txt"]}


def test_an_earlier_entry_names_their_directory() -> None:
    assert files(COMMIT) == {"late-w1": ["part-0.txt", "part-1.txt"], "rejected": ["part-files.txt"]}


def test_a_batch_without_late_or_rejected_rows_has_none() -> None:
    assert files(Commit("s", (), 1, 0, {}, {}, (), None, (), Position())) == {}
