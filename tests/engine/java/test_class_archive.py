"""The class archive is an option of the JVM where it exists, and nothing where it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from airflow_nrt.engine.java import class_archive
from airflow_nrt.engine.java.class_archive import VARIABLE, archive, archive_options, lacking, use_of_archive
from airflow_nrt.engine.java.finding import find_java


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


def test_what_a_driver_lacks_is_known_before_it_starts(java_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(str(java_home))
    assert lacking(str(java_home)) == file
    monkeypatch.setenv(VARIABLE, "-XX:SharedArchiveFile=mine.jsa")
    assert lacking(str(java_home)) is None
    monkeypatch.delenv(VARIABLE)
    file.parent.mkdir(parents=True)
    file.touch()
    assert lacking(str(java_home)) is None
    assert lacking(str(java_home / "nowhere")) is None


def test_another_java_has_another(java_home: Path) -> None:
    before = archive(str(java_home))
    os.utime(java_home / "bin" / "java", ns=(1, 1))
    assert archive(str(java_home)) != before


def test_no_java(tmp_path: Path) -> None:
    assert archive_options(str(tmp_path / "nowhere")) == {}


@pytest.mark.process
@pytest.mark.parametrize("content", [None, b"of another Java"])
def test_a_java_that_it_does_not_fit_starts_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    """Executors get the driver's archive by its path, wherever they are."""
    home = find_java()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    file = archive(home)
    file.parent.mkdir(parents=True)
    file.write_bytes(content or b"")
    options = use_of_archive(home)
    if content is None:
        file.unlink()
    java = str(Path(home) / "bin" / "java") if home else "java"
    started = subprocess.run([java, *options, "--version"], capture_output=True, text=True, check=True)
    assert str(file) in options[0]
    assert "SharedArchive" not in started.stdout + started.stderr and str(file) not in started.stderr


def test_where_spark_is_no_package_there_is_none(java_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(class_archive, "version", version)
    assert archive_options(str(java_home)) == {}
