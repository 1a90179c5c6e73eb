"""What is decided and what is published, by table: the heartbeat and the staged results say it, in one place."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, read_heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, OperatorState, Position, Published, Restate, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.status import read_pulse, read_status
from airflow_nrt.home.table_progress import TableProgress, tables_progress
from airflow_nrt.triggers.alarm import look_at_tables
from airflow_nrt.triggers.progress import status_line, status_xcom
from airflow_nrt.triggers.window import look_at_windows
from tests.sample import INSERT, REPORT, plan_of

SECOND_TABLE = """
CREATE TABLE copy (shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), cnt BIGINT, gmv DECIMAL(38, 2))
WITH ('connector' = 'filesystem', 'path' = 'copy', 'format' = 'json');
"""
PLAN = plan_of(f"{REPORT}{SECOND_TABLE}{INSERT.replace('INTO curve', 'INTO copy')}")
(OPERATOR,) = PLAN.inserts[0].operators
MINUTE = 60_000


class Report:
    """A home whose windows of ten minutes end one after the other."""

    def __init__(self, place: Path) -> None:
        self.home = Home.create(place / "home", PLAN)
        self.writer = Writer.begin(self.home.log(), Lease("host", 42, "application"))

    def fire(self, minute: int) -> int:
        """Decides the window of both tables that ends then. Its results are staged."""
        results = []
        for name in ("curve", "copy"):
            directory = f"staged/{self.writer.epoch}-{name}-{minute}"
            (self.home.path / directory).mkdir()
            end = minute * MINUTE
            results.append(Published(name, 0, end, "complete", 1, "", f"{directory}/0.json", str(end)))
        state = OperatorState(minute * MINUTE, minute * MINUTE)
        position = Position(operators={OPERATOR: state}, windows=minute // 10)
        entry = self.writer.append(Tick(tuple(results), 0, position))
        assert entry is not None
        return entry.n

    def publish(self, minute: int, *names: str) -> None:
        for name in names or ("curve", "copy"):
            (self.home.staged.local / f"{self.writer.epoch}-{name}-{minute}").rmdir()

    def beat(self, entry: int, **owed: int) -> None:
        epoch = self.writer.epoch
        write_heartbeat(self.home.heartbeats, Heartbeat(RUNNING, epoch, "host", 42, 0, "app", entry=entry, owed=owed))

    def tables(self) -> dict[str, tuple[int | None, int | None]]:
        """By table, the minutes up to which windows are decided and published."""
        beat = read_heartbeat(self.home.heartbeats)
        found = tables_progress(self.home, self.home.log(), self.home.outline(), beat).tables
        return {one.table: (_minutes(one.decided), _minutes(one.published)) for one in found}


def _minutes(end: int | None) -> int | None:
    return None if end is None else end // MINUTE


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return Report(tmp_path)


def test_what_a_sink_is_owed_is_decided_alone(report: Report) -> None:
    report.beat(report.fire(10))
    report.publish(10)
    assert report.tables() == {"curve": (10, 10), "copy": (10, 10)}
    owed = report.fire(20)
    report.publish(20, "copy")
    report.beat(report.fire(30), curve=owed)
    report.publish(30, "copy")
    assert report.tables() == {"curve": (30, 10), "copy": (30, 30)}


def test_what_is_decided_is_published_a_moment_later(report: Report) -> None:
    report.beat(report.fire(10))
    report.publish(10)
    report.fire(20)
    assert report.tables() == {"curve": (20, 10), "copy": (20, 10)}
    report.publish(20)
    # The driver has published, and its next heartbeat is to come.
    assert report.tables() == {"curve": (20, 10), "copy": (20, 10)}
    report.beat(report.writer.log.last)
    assert report.tables() == {"curve": (20, 20), "copy": (20, 20)}


@pytest.mark.parametrize("begins", [True, False])
def test_a_driver_that_begins_owes_what_the_one_before_did(report: Report, begins: bool) -> None:
    """Its heartbeat has no entry yet; a driver that died at once has left none."""
    report.fire(10)
    report.publish(10)
    report.fire(20)
    report.publish(20, "copy")
    for _ in range(3):
        report.writer = Writer.begin(report.home.log(), Lease("host", 43, "application"))
    if begins:
        report.beat(-1)
    assert report.tables() == {"curve": (20, 10), "copy": (20, 20)}


def test_results_that_no_entry_has_decided_are_not_waited_for(report: Report) -> None:
    report.fire(10)
    report.publish(10)
    (report.home.staged.local / f"{report.writer.epoch}-of-a-batch-under-way").mkdir()
    assert report.tables() == {"curve": (10, 10), "copy": (10, 10)}


def test_a_backfill_that_has_not_published_yet(report: Report) -> None:
    report.beat(report.fire(10))
    report.publish(10)
    (report.home.staged.local / "restate-1").mkdir()
    again = Published("curve", 0, 10 * MINUTE, "restated", 1, "", "staged/restate-1/0.json", str(10 * MINUTE))
    report.home.log().append(Restate((again,), (), "backfill", {}, 0), None)
    found = tables_progress(
        report.home, report.home.log(), report.home.outline(), read_heartbeat(report.home.heartbeats)
    )
    assert [one.table for one in found.waiting] == ["curve"]


def test_everybody_says_the_same(report: Report) -> None:
    report.beat(report.fire(10))
    report.publish(10)
    owed = report.fire(20)
    report.publish(20, "copy")
    report.beat(report.writer.log.last, curve=owed)
    status = read_status(report.home)
    assert (status.windows, status.decided_windows) == (1, 2)
    assert (_minutes(status.last_window), _minutes(status.decided_until)) == (10, 20)
    assert [one.table for one in status.waiting] == ["curve"]
    assert list(status.to_json()["tables"]) == [asdict(one) for one in status.tables]
    pulse = read_pulse(report.home)
    told = status_xcom(pulse)
    assert (told["windows"], told["decided_windows"]) == (1, 2)
    assert (told["last_window"], told["decided_until"]) == ("1970-01-01T00:10:00", "1970-01-01T00:20:00")
    assert told["tables"]["curve"]["published"] == told["last_window"]
    assert told["tables"]["copy"]["published"] == told["tables"]["curve"]["decided"] == told["decided_until"]
    waits = "curve: decided up to 1970-01-01 00:20:00, published up to 1970-01-01 00:10:00"
    assert "1 window published, complete up to 1970-01-01 00:10:00" in status_line(pulse)
    assert waits in status_line(pulse) and waits in told["text"]
    seen = look_at_windows(str(report.home.path))
    assert (_minutes(seen.complete_until), seen.waiting) == (10, (waits,))
    assert {one.table: _minutes(one.complete_until) for one in look_at_tables(report.home)[2]} == {
        "curve": 10,
        "copy": 20,
    }
    of_tables = [look_at_windows(str(report.home.path), table=name) for name in ("curve", "copy")]
    assert [(_minutes(one.complete_until), one.waiting) for one in of_tables] == [(10, (waits,)), (20, ())]
    assert look_at_windows(str(report.home.path), table="cure").error == (
        "the report has no table 'cure': it has curve, copy"
    )


def test_a_table_without_windows_is_said_by_entries() -> None:
    one = TableProgress("copy", None, None, decided_entry=9, published_entry=7)
    assert one.waits and str(one) == "copy: decided up to entry 9, published up to entry 7"
    assert not replace(one, published_entry=9).waits
