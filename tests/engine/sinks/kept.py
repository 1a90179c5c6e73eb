"""What was staged, as a driver leaves it that dies before it removes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from airflow_nrt.home.home import Home


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what was staged is copied to, before it is removed: a driver that dies then leaves it."""
    kept, remove = tmp_path / "kept", shutil.rmtree

    def keep(path: Path, ignore_errors: bool = False) -> None:
        if Path(path).parent.name == "staged" and Path(path).is_dir():
            shutil.copytree(path, kept / Path(path).name, dirs_exist_ok=True)
        remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr("airflow_nrt.engine.publish.publishing.shutil.rmtree", keep)
    return kept


def put_back(kept: Path, home: Home) -> None:
    for directory in kept.iterdir():
        shutil.copytree(directory, home.staged.local / directory.name, dirs_exist_ok=True)
