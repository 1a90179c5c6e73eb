"""Results that never complete, emitted every three minutes of processing time, or after so many rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.state import compaction
from tests.engine.reports import MINUTE, MORNING, Event, Stream, events_table, plan_of, source_file, write_events
from tests.engine.sinks.test_standard_output import printed

TOLD = "CREATE TABLE told (shop INT, n BIGINT) WITH ('connector' = 'print', 'update-rate' = '{rate}');"
INSERT = "INSERT INTO told SELECT shop, COUNT(*) FROM events GROUP BY shop HAVING COUNT(*) < 4;"


class Live:
    """A stream of one file a batch, with a clock that the test sets (minutes)."""

    def __init__(self, spark, place: Path, rate: str) -> None:
        self.spark, self.place = spark, place
        self.plan = plan_of(place, events_table(), TOLD.format(rate=rate), INSERT)
        self.minute = 0
        self.files = 0
        self.restart()

    def restart(self) -> None:
        self.stream = Stream(self.spark, self.plan, self.place / "home", lambda: MORNING + self.minute * MINUTE)

    def absorb(self, *shops: int) -> None:
        events = [Event(n, shop, 1, "a", None, None, MORNING) for n, shop in enumerate(shops)]
        self.stream.absorb(write_events(self.place / "events" / f"{self.files}.csv", events))
        self.files += 1


def test_changes_wait_for_their_time(spark, tmp_path: Path, capfd) -> None:
    live = Live(spark, tmp_path, "3 min")
    capfd.readouterr()
    live.absorb(1, 3)
    live.minute = 2
    live.absorb(1, 2, 3, 3, 3)
    assert printed(capfd) == []
    live.restart()
    live.minute = 3
    live.stream.driver.pass_time()
    # The row of shop 3 came and went.
    assert sorted(printed(capfd)) == ["+I[1, 2]", "+I[2, 1]"]
    live.stream.driver.pass_time()
    live.minute = 5
    live.absorb(1)
    live.absorb(2, 2, 2)
    assert printed(capfd) == []
    live.stream.end()
    assert sorted(printed(capfd)) == ["+U[1, 3]", "-D[2, 1]", "-U[1, 2]"]
    assert not live.stream.driver.position.versions["told"].shown


@pytest.mark.parametrize("rate", ["3 min", "count(100)"])
def test_at_the_end_all_is_told(spark, tmp_path: Path, capfd, rate: str) -> None:
    """Also what windows change that fire only then."""
    windows = "SELECT shop, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
    most = f"SELECT shop, MAX(n) FROM ({windows} GROUP BY shop, window_start, window_end) GROUP BY shop"
    bounded = events_table().replace("'source.monitor-interval' = '1 s', ", "")
    plan = plan_of(tmp_path, bounded, TOLD.format(rate=rate), f"INSERT INTO told {most};")
    stream = Stream(spark, plan, tmp_path / "home")
    capfd.readouterr()
    events = [Event(n, shop, 1, "a", None, None, MORNING) for n, shop in enumerate((1, 1, 2))]
    stream.driver.absorb("events", [source_file(write_events(tmp_path / "events" / "0.csv", events))], ends=True)
    assert sorted(printed(capfd)) == ["+I[1, 2]", "+I[2, 1]"]


def test_only_rows_of_its_own_source_count(spark, tmp_path: Path, capfd) -> None:
    busy = events_table().replace("events", "busy")
    passing = "CREATE TABLE passed (shop INT) WITH ('connector' = 'print'); INSERT INTO passed SELECT shop FROM busy;"
    plan = plan_of(tmp_path, events_table(), busy, TOLD.format(rate="count(3)"), INSERT, passing)
    stream = Stream(spark, plan, tmp_path / "home")
    events = [Event(n, 7, 1, "a", None, None, MORNING) for n in range(5)]
    stream.absorb(write_events(tmp_path / "events" / "0.csv", events[:2]))
    capfd.readouterr()
    stream.absorb(write_events(tmp_path / "busy" / "0.csv", events), source="busy")
    assert printed(capfd) == ["+I[7]"] * 5


def test_what_waits_stands_in_few_files(spark, tmp_path: Path, capfd, monkeypatch) -> None:
    monkeypatch.setattr(compaction, "FANOUT", 3)
    live = Live(spark, tmp_path, "1 h")
    for n in range(4):
        live.absorb(n % 2, n % 2)
    assert len(live.stream.driver.position.versions["told"].shown) <= 3
    capfd.readouterr()
    live.stream.end()
    assert sorted(printed(capfd)) == []


def test_changes_wait_for_rows(spark, tmp_path: Path, capfd) -> None:
    live = Live(spark, tmp_path, "count(3)")
    capfd.readouterr()
    live.absorb(1)
    live.absorb(1)
    assert printed(capfd) == []
    live.absorb(2)
    assert sorted(printed(capfd)) == ["+I[1, 2]", "+I[2, 1]"]
