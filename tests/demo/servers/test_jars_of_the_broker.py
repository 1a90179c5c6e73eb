"""The jars of the demonstration's broker are what was published, whoever gave them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo.servers import kafka

SUMS = Path(kafka.__file__).with_name("kafka_jars.sha256")


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that is known, of a package whose list is the test's."""
    file = tmp_path / "org.example_one-1.jar"
    file.write_bytes(b"published")
    (tmp_path / SUMS.name).write_text(f"{hashlib.sha256(b'published').hexdigest()}  {file.name}\n")
    monkeypatch.setattr(kafka, "__file__", str(tmp_path / "kafka.py"))
    return file


def test_what_was_published_is_taken(jar: Path) -> None:
    kafka.check_jars([jar])


def test_another_content_is_refused_by_name(jar: Path) -> None:
    jar.write_bytes(b"changed by a repository")
    with pytest.raises(InputError, match=rf"the jar {jar} is not what was published.*--repository"):
        kafka.check_jars([jar])


def test_a_jar_that_the_broker_does_not_need_is_refused(jar: Path) -> None:
    with pytest.raises(InputError, match="is not what was published"):
        kafka.check_jars([jar.rename(jar.with_name("org.example_two-1.jar"))])


def test_jars_that_lie_there_are_checked_too(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that an earlier version fetched."""
    place = jar.parent / "servers" / "broker"
    place.mkdir(parents=True)
    (place / jar.name).write_bytes(b"changed since")
    monkeypatch.setattr(kafka, "_PLACE", place.parent)
    with pytest.raises(InputError, match="is not what was published"):
        kafka.jars_of("broker", ())


def test_each_jar_has_a_checksum_and_the_broker_s_own_are_among_them() -> None:
    lines = [line.split() for line in SUMS.read_text().splitlines()]
    assert all(len(content) == 64 and name.endswith(".jar") for content, name in lines)
    names = [name for _, name in lines]
    assert len(set(names)) == len(names) and {f"org.apache.kafka_kafka_2.13-{kafka._VERSION}.jar"} <= set(names)
