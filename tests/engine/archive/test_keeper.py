"""Partitions of an archive are merged and marked once they are complete."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.archive import archive_partitions
from airflow_nrt.engine.archive.keeper import ArchiveKeeper
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.entries import COMPACTED, Commit
from tests.engine.archive.test_own_archive import archived, report
from tests.engine.sources.kafka.reports import TopicStream, order
from tests.servers.kafka import Broker, Topics

MANY = 3


@pytest.fixture(autouse=True)
def merged_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer files than in production are merged, because each is a batch."""
    monkeypatch.setattr(archive_partitions, "MANY", MANY)


def hours(place: Path) -> dict[str, tuple[int, dict[str, int] | None]]:
    """By hour the number of files, and what its mark says."""
    found = {}
    for hour in sorted((place / "archive").rglob("hh=*")):
        mark = hour / "_SUCCESS"
        found[hour.name] = (len([*hour.glob("*.parquet")]), json.loads(mark.read_text()) if mark.exists() else None)
    return found


def keep(stream: TopicStream) -> None:
    (source,) = stream.driver.plan.sources
    keeper = ArchiveKeeper(stream.driver.spark, stream.home, source, stream.driver.writer)
    keeper.finish(stream.driver.position, stream.driver.replace_files)


def test_an_hour_is_merged_once_it_is_complete(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("merged", 1)
    plan = report(tmp_path, broker.address, "merged")
    stream = TopicStream(spark, plan, tmp_path / "home")
    for at in (*(f"10:0{n}:00" for n in range(MANY)), "11:00:30"):
        topics.write("merged", [order(1, 1, at)])
        stream.absorb_new()
    before = archived(tmp_path)
    keep(stream)
    # The watermark is a minute before 11:00:30.
    assert hours(tmp_path) == {"hh=10": (MANY, None), "hh=11": (1, None)}
    topics.write("merged", [order(1, 1, "11:01:00")])
    stream.absorb_new()
    keep(stream)
    last = max(entry.n for entry in stream.entries if any(one.state == COMPACTED for one in entry.published))
    assert hours(tmp_path) == {"hh=10": (1, {"entry": last, "files": 1, "rows": MANY}), "hh=11": (2, None)}
    assert archived(tmp_path)[: MANY + 1] == before
    # A late row is added, and the mark says so.
    topics.write("merged", [order(1, 9, "10:59:00")])
    stream.absorb_new()
    late = stream.entries[-1].n
    keep(stream)
    assert hours(tmp_path)["hh=10"] == (2, {"entry": late, "files": 2, "rows": MANY + 1})
    # Late rows in many files are merged once more.
    for minute in range(MANY - 1):
        topics.write("merged", [order(1, 9, f"10:1{minute}:00")])
        stream.absorb_new()
    rows = archived(tmp_path)
    keep(stream)
    files, mark = hours(tmp_path)["hh=10"]
    assert mark is not None and (files, mark["files"], mark["rows"]) == (2, 2, 2 * MANY)
    assert archived(tmp_path) == rows
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == MANY


def test_few_files_are_left(spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("few", 1)
    plan = report(tmp_path, broker.address, "few")
    stream = TopicStream(spark, plan, tmp_path / "home")
    entries = {}
    for at in ("10:01:00", "10:02:00", "12:00:00"):
        topics.write("few", [order(1, 1, at)])
        stream.absorb_new()
        entries[at] = max(entry.n for entry in stream.entries if isinstance(entry.body, Commit))
    keep(stream)
    assert hours(tmp_path)["hh=10"] == (2, {"entry": entries["10:02:00"], "files": 2, "rows": 2})


def test_an_hour_that_its_owner_has_removed_stays_removed(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path
) -> None:
    topics.create("removed", 1)
    plan = report(tmp_path, broker.address, "removed")
    stream = TopicStream(spark, plan, tmp_path / "home")
    for at in (*(f"10:0{n}:00" for n in range(MANY)), "12:00:00"):
        topics.write("removed", [order(1, 1, at)])
        stream.absorb_new()
    shutil.rmtree(tmp_path / "archive" / "ds=2024-06-18" / "hh=10")
    keep(stream)
    assert hours(tmp_path) == {"hh=12": (1, None)}
