"""An hour of an archive that a driver merges while its files are read: the same rows are in the merged file."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.archive import archive_partitions
from airflow_nrt.engine.archive.own_archive import OwnArchive
from airflow_nrt.engine.archive.source_archive import ArchivedRows
from airflow_nrt.engine.verify import verify as verifying
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.history.history import History
from tests.engine.archive.test_keeper import hours, keep
from tests.engine.archive.test_own_archive import report
from tests.engine.sources.kafka.reports import TopicStream, order
from tests.servers.kafka import Broker, Topics


def test_a_verification_goes_on_with_the_merged_file(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hour 10 is merged once the log is read, with a row that came later; hour 11 once the files are chosen."""
    monkeypatch.setattr(archive_partitions, "MANY", 2)
    topics.create("meanwhile", 1)
    plan = report(tmp_path, broker.address, "meanwhile")
    stream = TopicStream(spark, plan, tmp_path / "home")

    def absorb(*times: str) -> None:
        for at in times:
            topics.write("meanwhile", [order(1, 1, at)])
            stream.absorb_new()

    absorb("10:01:00", "10:12:00", "10:31:00", "11:02:00", "11:31:00")
    history_of, read_rows = verifying.history_of, OwnArchive.read
    chosen = 0

    def after_the_log(*given: object) -> History:
        history = history_of(*given)  # type: ignore[arg-type]
        absorb("10:02:00")
        keep(stream)
        return history

    def after_the_choice(*given: object) -> ArchivedRows:
        nonlocal chosen
        rows = read_rows(*given)  # type: ignore[arg-type]
        chosen += 1
        if chosen == 1:
            absorb("12:59:00")
            keep(stream)
        return rows

    with monkeypatch.context() as merging:
        merging.setattr(verifying, "history_of", after_the_log)
        merging.setattr(OwnArchive, "read", after_the_choice)
        verdict = verify(spark, plan, stream.home)
    assert chosen == 2
    assert {hour: files for hour, (files, _) in hours(tmp_path).items()} == {"hh=10": 1, "hh=11": 1, "hh=12": 1}
    assert verdict.is_proven and not verdict.problems
    assert verdict.windows == 4 and verdict.late_rows == 0
    publish_soon(stream)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 1


def publish_soon(stream: TopicStream) -> None:
    """Takes the archive back to where the log has decided on its last file, and the driver has not published it yet."""
    insert = stream.driver.plan.sources[0].archive.insert
    last = next(one for entry in reversed(stream.entries) for one in entry.published if one.insert == insert.name)
    file = Path(insert.sink.path) / last.target
    staged = stream.home.path / last.staged
    staged.parent.mkdir(parents=True)
    file.rename(staged)

    def publish() -> None:
        staged.rename(file)
        shutil.rmtree(stream.home.staged.local / Path(last.staged).parts[1])

    threading.Timer(0.3, publish).start()
