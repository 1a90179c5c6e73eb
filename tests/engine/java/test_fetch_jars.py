"""Jars come with one resolution, from a real repository of this host, and what has come stays."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from airflow_nrt.basics import jars as known
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import Jar
from airflow_nrt.engine.class_archive import _recorded
from airflow_nrt.engine.java import fetch_jars as fetching
from airflow_nrt.engine.java.class_archive import VARIABLE
from airflow_nrt.engine.java.fetch_jars import fetch_jars
from airflow_nrt.engine.java.finding import ensure_java

pytestmark = pytest.mark.process


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Maven repository, in place of all others."""
    ensure_java()
    files = tmp_path / "repository"
    files.mkdir()
    monkeypatch.setattr(known, "directory", lambda: tmp_path / "jars")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(files))) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", f"http://127.0.0.1:{server.server_port}/")
        yield files
        server.shutdown()


def published(repository: Path, name: str, content: bytes) -> Jar:
    place = repository / "org" / "example" / name / "1.0"
    place.mkdir(parents=True)
    described = f"<groupId>org.example</groupId><artifactId>{name}</artifactId><version>1.0</version>"
    (place / f"{name}-1.0.pom").write_text(f"<project><modelVersion>4.0.0</modelVersion>{described}</project>")
    (place / f"{name}-1.0.jar").write_bytes(content)
    return jar(name, content)


def jar(name: str, content: bytes) -> Jar:
    return Jar(f"org.example:{name}:1.0", hashlib.sha256(content).hexdigest())


def test_all_come_at_once_and_only_what_is_missing(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[list[str]] = []
    resolve = fetching.resolve

    def counted(coordinates: list[str], *rest: object, **more: object) -> object:
        resolved.append(list(coordinates))
        return resolve(coordinates, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(fetching, "resolve", counted)
    said: list[str] = []
    one, two, three = (published(repository, name, name.encode()) for name in ("one", "two", "three"))

    absent = jar("absent", b"nowhere")
    with pytest.raises(InputError, match=r"jars can't be fetched: .*absent"):
        fetch_jars([one, two, absent], None, said.append)
    assert [file.path.read_bytes() for file in (one, two)] == [b"one", b"two"], "what has come stays"
    assert not absent.path.exists()

    fetch_jars([one, two, three], None, said.append)
    fetch_jars([one, two, three], None, said.append)
    assert resolved == [
        ["org.example:one:1.0", "org.example:two:1.0", "org.example:absent:1.0"],
        ["org.example:three:1.0"],
    ]
    assert said[0] == "3 jars are to be fetched, 0 are here"
    assert sorted(said[1:3]) == ["1 of 3: one-1.0.jar, 0.0 MB", "2 of 3: two-1.0.jar, 0.0 MB"]
    assert said[3:] == ["1 jar is to be fetched, 2 are here", "1 of 1: three-1.0.jar, 0.0 MB"]


def test_another_content_is_refused(repository: Path) -> None:
    published(repository, "one", b"changed")
    with pytest.raises(InputError, match="has another content than it was published with"):
        fetch_jars([jar("one", b"one")], None, lambda text: None)
    assert not jar("one", b"one").path.exists()


@pytest.mark.parametrize("before", [None, "-Xmx1g"])
def test_only_one_jvm_writes_a_class_archive(
    before: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The resolver's, which starts after it, would take seconds for one of its own."""

    if before is None:
        monkeypatch.delenv(VARIABLE, raising=False)
    else:
        monkeypatch.setenv(VARIABLE, before)
    with _recorded(tmp_path / "share" / "spark.jsa") as notes:
        assert f"-XX:ArchiveClassesAtExit={notes}" in os.environ[VARIABLE]
    assert os.environ.get(VARIABLE) == before
