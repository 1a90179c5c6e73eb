"""What was staged, as a driver leaves it that dies before it removes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from airflow_nrt.home.home import Home
from airflow_nrt.home.store.store_path import StorePath


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what was staged is copied to, before it is removed: a driver that dies then leaves it."""
    kept, remove = tmp_path / "kept", StorePath.delete_all

    def keep(path: StorePath) -> None:
        if path.parent.key == "staged" and path.local.is_dir():
            shutil.copytree(path.local, kept / path.name, dirs_exist_ok=True)
        remove(path)

    monkeypatch.setattr(StorePath, "delete_all", keep)
    return kept


def put_back(kept: Path, home: Home) -> None:
    for directory in kept.iterdir():
        shutil.copytree(directory, home.staged.local / directory.name, dirs_exist_ok=True)
