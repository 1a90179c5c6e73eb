"""Up to where everything is published: known only of the log for which it was noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fold.settled import note_settled, settled_until
from airflow_nrt.home.log.log import Log
from tests.home.logs import log_at

LEASE = Lease("host", 1, "application")


def log_of(place: Path, entries: int) -> Log:
    (place / "log").mkdir(parents=True)
    log = log_at(place / "log")
    for epoch in range(entries):
        log.append(LEASE, epoch)
    return log


def test_the_last_entry_that_was_known(tmp_path: Path) -> None:
    log = log_of(tmp_path, 3)
    assert settled_until(log) == -1
    note_settled(log)
    log.append(LEASE, 4)
    assert settled_until(log) == settled_until(Log(log.directory)) == 2


def test_a_mark_of_another_log_or_of_none(tmp_path: Path) -> None:
    log, other, shorter = log_of(tmp_path / "a", 3), log_of(tmp_path / "b", 5), log_of(tmp_path / "c", 1)
    note_settled(log)
    mark = (tmp_path / "a" / "checkpoints" / "settled.json").read_bytes()
    for one, content in ((other, mark), (shorter, mark), (log, b"{")):
        place = (one.directory.parent / "checkpoints").local
        place.mkdir(exist_ok=True)
        (place / "settled.json").write_bytes(content)
        assert settled_until(one) == -1


def test_a_mark_that_can_t_be_written_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = log_of(tmp_path, 2)
    (tmp_path / "checkpoints").write_text("a file where the directory should be")
    note_settled(log)
    assert "up to log entry 1 can't be noted" in caplog.text
    assert settled_until(log) == -1
