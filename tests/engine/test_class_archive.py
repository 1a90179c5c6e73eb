"""The class archive is an option of the JVM where it exists, and nothing where it does not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from airflow_nrt.engine.class_archive import VARIABLE, archive, archive_options


@pytest.fixture
def java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java of its own, in an environment that has no archive yet."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\n")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path


def test_used_once_it_exists(java_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert archive_options(str(java_home)) == {}
    file = archive(str(java_home))
    file.parent.mkdir(parents=True)
    file.touch()
    assert f"-XX:SharedArchiveFile={file} " in archive_options(str(java_home))[VARIABLE]
    monkeypatch.setenv(VARIABLE, "-Dmine=1")
    assert archive_options(str(java_home))[VARIABLE].startswith("-Dmine=1 -XX:SharedArchiveFile=")
    monkeypatch.setenv(VARIABLE, "-XX:SharedArchiveFile=mine.jsa")
    assert archive_options(str(java_home)) == {}


def test_another_java_has_another(java_home: Path) -> None:
    before = archive(str(java_home))
    os.utime(java_home / "bin" / "java", ns=(1, 1))
    assert archive(str(java_home)) != before


def test_no_java(tmp_path: Path) -> None:
    assert archive_options(str(tmp_path / "nowhere")) == {}
