"""Tests write into memory only where that is as good as a disk."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import temporary_files
from tests.temporary_files import ROOM, write_into_memory


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(temporary_files, "MEMORY", tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    monkeypatch.setenv("TMPDIR", "")
    monkeypatch.delenv("TMPDIR")
    return tmp_path


def give(monkeypatch: pytest.MonkeyPatch, room: int, flags: int = 0) -> None:
    monkeypatch.setattr(os, "statvfs", lambda place: SimpleNamespace(f_bavail=room, f_frsize=1, f_flag=flags))


def test_where_there_is_room(monkeypatch: pytest.MonkeyPatch, memory: Path) -> None:
    give(monkeypatch, ROOM)
    write_into_memory()
    (own,) = memory.iterdir()
    assert os.environ["TMPDIR"] == tempfile.gettempdir() == str(own)


def test_what_a_run_left_goes_when_the_next_one_begins(monkeypatch: pytest.MonkeyPatch, memory: Path) -> None:
    give(monkeypatch, ROOM)
    runs = living, ended = memory / f"nrt-tests-{os.getppid()}", memory / "nrt-tests-4194305"
    foreign = memory / "PostgreSQL.1"
    for place in (*runs, foreign):
        place.mkdir()
        (place / "file").write_text("")
    write_into_memory()
    assert (living / "file").exists() and (foreign / "file").exists()
    assert not ended.exists()


@pytest.mark.parametrize(("room", "flags"), [(64 << 20, 0), (ROOM, os.ST_NOEXEC)], ids=["little", "no programs"])
def test_else_on_a_disk(monkeypatch: pytest.MonkeyPatch, memory: Path, room: int, flags: int) -> None:
    give(monkeypatch, room, flags)
    write_into_memory()
    assert "TMPDIR" not in os.environ
    assert not list(memory.iterdir())


def test_else_where_the_user_says(monkeypatch: pytest.MonkeyPatch, memory: Path) -> None:
    give(monkeypatch, ROOM)
    monkeypatch.setenv("TMPDIR", "elsewhere")
    write_into_memory()
    assert os.environ["TMPDIR"] == "elsewhere"
    assert not list(memory.iterdir())
