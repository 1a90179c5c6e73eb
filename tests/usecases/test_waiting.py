"""`--wait-for-stream`: a verification begins when the stream has read what had arrived before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# A heartbeat of a test is one only: it must not grow old while this is loaded.
import airflow_nrt.engine.verify.verify  # noqa: F401
from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.heartbeat import FAILED, now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Position
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import load_report, plan_script
from airflow_nrt.usecases import waiting
from airflow_nrt.usecases.waiting import NotReadError, wait_for_stream
from tests.clock import Clock
from tests.launch.homes import REPORT, beat, lease, new_home


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    return clock


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "orders").mkdir()
    return load_report(REPORT, {"DATA": str(tmp_path)})


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def arrive(plan: Plan, name: str) -> SourceFile:
    path = Path(plan.sources[0].table.path.removeprefix("file://")) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("1,a\n")
    return SourceFile(str(path), 4, 0)


def read(plan: Plan, writer: Writer, *files: SourceFile) -> int:
    """A batch that has read these files; gives the number of its entry."""
    source = plan.sources[0].name
    return writer.append(Commit(source, files, 1, now_ms(), {}, {}, (), None, (), Position())).n


def test_a_file_that_had_arrived_is_waited_for_and_a_later_one_is_not(home: Home, plan: Plan, clock: Clock) -> None:
    writer = lease(home)
    first, second = arrive(plan, "1.csv"), arrive(plan, "2.csv")
    beat(home, 1, entry=read(plan, writer, first))
    said: list[str] = []

    def go_on() -> None:
        arrive(plan, "3.csv")
        beat(home, 1, entry=read(plan, writer, second))

    clock.later(12.8, go_on)
    wait_for_stream(plan, home, 20_000, said.append)
    assert said == [
        *["waiting until the stream has read 1 file (4 bytes)"] * 2,
        "the stream has read what had arrived, after 13 s",
    ]


def test_patience_ends(home: Home, plan: Plan) -> None:
    beat(home, 1, entry=read(plan, lease(home), arrive(plan, "1.csv")))
    arrive(plan, "2.csv")
    with pytest.raises(NotReadError, match=r"has not read 1 file \(4 bytes\) within 1 second"):
        wait_for_stream(plan, home, 1000, lambda line: None)


def test_nobody_waits_for_a_driver_that_is_not_there(home: Home, plan: Plan) -> None:
    entry = read(plan, lease(home), arrive(plan, "1.csv"))
    beat(home, 1, FAILED, entry=entry)
    arrive(plan, "2.csv")
    with pytest.raises(NotReadError, match=r"no driver runs in .*: start the stream first"):
        wait_for_stream(plan, home, 60_000, lambda line: None)


def test_where_no_stream_ran_there_is_nothing_to_wait_for(tmp_path: Path, home: Home, plan: Plan) -> None:
    arrive(plan, "1.csv")
    said: list[str] = []
    wait_for_stream(plan, home, 60_000, said.append)
    wait_for_stream(plan, Home.at(tmp_path / "never"), 60_000, said.append)
    assert said == ["no stream has run here: nothing to wait for"] * 2


def test_a_topic_is_refused_by_name(home: Home, tmp_path: Path) -> None:
    topic = "'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'nowhere:9092'"
    script = re.sub(
        r"WITH \(.*?\)",
        f"WITH ({topic}, 'scan.startup.mode' = 'latest-offset', 'format' = 'csv')",
        REPORT.read_text(encoding="utf-8"),
        count=1,
        flags=re.DOTALL,
    )
    with pytest.raises(InputError, match="'orders': what has arrived in a topic is not waited for: leave"):
        wait_for_stream(plan_script(script, {"DATA": str(tmp_path)}, "topic", tmp_path), home, 1000, print)
