"""A driver's life: it takes what arrives, stops when it is asked to, and says in its heartbeat how it ended."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, FencedError, InputError
from airflow_nrt.engine.driver import feed, journal
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.java import fitting
from airflow_nrt.engine.replaced.appending import append_restatement
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Lease, Published, Restate
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.fold import checkpoints
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint
from airflow_nrt.home.log.fold.settled import settled_until
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from tests.engine.oracle import Windowing, count_in
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
    write_lines,
)

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)
EVENTS = random_events(4, 120, 4 * HOUR)


def live(place: Path, **options: str) -> tuple[Plan, Home]:
    (place / "events").mkdir(parents=True)
    table = events_table(source__monitor_interval="50 ms", **options)
    plan = plan_of(place, table, curve_insert(TUMBLE.sql, FEW))
    return plan, Home.create(place / "home", plan)


class Running:
    """A runner in a thread of its own; `failure` is what it raised."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.state: str | None = None
        self.failure: Exception | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.state = self.runner.run()
        except Exception as failure:
            self.failure = failure

    def wait_until(self, state: Callable[[], bool], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not state():
            assert time.monotonic() < deadline and self.failure is None, self.failure
            time.sleep(0.05)

    def end(self) -> None:
        self.runner.stop_asked.set()
        self.thread.join(60)
        assert not self.thread.is_alive()


def commits(home: Home) -> int:
    return sum(isinstance(entry.body, Commit) for entry in home.log().audit())


def beat(home: Home) -> Heartbeat:
    heartbeat = read_heartbeat(home.heartbeats)
    assert heartbeat is not None
    return heartbeat


@pytest.mark.timeout(200)
def test_takes_what_arrives_until_it_is_asked_to_stop(spark, tmp_path: Path) -> None:
    plan, home = live(tmp_path)
    write_events(tmp_path / "events" / "0.csv", EVENTS[:40])
    running = Running(Runner(spark, plan, home, launch="me"))
    try:
        for n in (1, 2):
            running.wait_until(lambda n=n: commits(home) == n)
            write_events(tmp_path / "events" / f"{n}.csv", EVENTS[40 * n : 40 * (n + 1)])
        running.wait_until(lambda: commits(home) == 3)
        home.ask_to_stop()
        running.wait_until(lambda: running.state is not None)
    finally:
        running.end()
    assert running.state == "stopped"
    last = beat(home)
    assert (last.state, last.epoch, last.launch, last.error, last.pending_files) == ("stopped", 1, "me", None, 0)
    assert last.entry == home.log().last
    whole = count_in(TUMBLE, [EVENTS], FEW)
    published = rows_of(tmp_path / "curve")
    assert published == [row for row in whole if row[2] <= max(one[2] for one in published)]
    assert not list(home.scratch.local.iterdir())

    write_events(tmp_path / "events" / "late.csv", EVENTS[:1])
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert (beat(home).state, beat(home).epoch, commits(home)) == ("finished", 2, 4)
    assert verify(spark, plan, home).is_proven


def test_a_running_driver_publishes_what_a_backfill_died_over(spark, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("airflow_nrt.engine.publish.recovery.ABANDONED_MS", -60_000)
    plan, home = live(tmp_path)
    write_events(tmp_path / "events" / "0.csv", EVENTS[:10])
    running = Running(Runner(spark, plan, home))
    try:
        running.wait_until(lambda: commits(home) == 1)
        (home.staged.local / "restate-1").mkdir()
        (home.staged.local / "restate-1" / "file").write_text("restated")
        restated = Published("curve", 0, 1, "restated", 1, "", "staged/restate-1/file", "window")
        append_restatement(home.log(), Restate((restated,), (), "backfill", {}, 0))
        running.wait_until((tmp_path / "curve" / "window").exists)
        running.wait_until(lambda: not list(home.staged.local.iterdir()))
    finally:
        running.end()


def test_a_new_query_takes_over_before_one_has_read_too_much(spark, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(journal, "TURN", 2)
    plan, home = live(tmp_path, source__max_batch_size="1 b")
    for n in range(5):
        write_events(tmp_path / "events" / f"{n}.csv", EVENTS[24 * n : 24 * (n + 1)])
    queries: list[tuple[str, int]] = []
    absorb = StreamDriver.absorb

    def watched(driver: StreamDriver, source: str, files: Sequence[SourceFile], *, ends: bool) -> None:
        assert not ends, "a live source"
        (turn,) = (home.scratch.local / "1" / source).iterdir()
        queries.append((turn.name, len(list(turn.glob("journal/*.json")))))
        absorb(driver, source, files, ends=ends)

    monkeypatch.setattr(StreamDriver, "absorb", watched)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert queries == [("0", 1), ("0", 2), ("2", 1), ("2", 2), ("4", 1)]
    assert commits(home) == 5
    whole = count_in(TUMBLE, [EVENTS], FEW)
    published = rows_of(tmp_path / "curve")
    assert published == [row for row in whole if row[2] <= max(one[2] for one in published)]


def test_bounded_input_ends_by_itself(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW))
    home = Home.create(tmp_path / "home", plan)
    write_events(tmp_path / "events" / "0.csv", EVENTS)
    assert Runner(spark, plan, home).run() == "finished"
    assert rows_of(tmp_path / "curve") == count_in(TUMBLE, [EVENTS], FEW)
    last = home.log().last
    assert Runner(spark, plan, home).run() == "finished"
    assert home.log().last == last + 1, "a second run only takes the lease"


def test_data_that_can_not_be_read_ends_it_for_good(spark, tmp_path: Path) -> None:
    plan, home = live(tmp_path, source__rejected__limit="0")
    write_lines(tmp_path / "events" / "0.csv", ["no row at all"])
    with pytest.raises(DataError, match="malformed line in table events"):
        Runner(spark, plan, home, available_now=True).run()
    last = beat(home)
    assert (last.state, last.final) == ("failed", True)
    assert last.error is not None and "no row at all" in last.error and "0.csv" in last.error
    assert commits(home) == 0


def test_no_source_directory_ends_it_for_good(spark, tmp_path: Path) -> None:
    plan, home = live(tmp_path)
    (tmp_path / "events").rmdir()
    with pytest.raises(InputError, match="does not exist"):
        Runner(spark, plan, home, available_now=True).run()
    assert (beat(home).state, beat(home).final) == ("failed", True)


def test_what_may_pass_is_tried_again(spark, tmp_path: Path, monkeypatch) -> None:
    """The log can't be written for a moment; the batch is absorbed by the second try, once."""
    plan, home = live(tmp_path)
    write_events(tmp_path / "events" / "0.csv", EVENTS)
    append = Writer.append
    tries = []

    def failing_once(self, body):
        tries.append(body)
        if len(tries) == 1:
            raise OSError("no space left on device")
        return append(self, body)

    monkeypatch.setattr(Writer, "append", failing_once)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert len(tries) >= 2 and commits(home) == 1
    assert beat(home).error is None
    assert verify(spark, plan, home).is_proven


def test_drivers_go_on_from_a_checkpoint(spark, tmp_path: Path, monkeypatch) -> None:
    """No file is read twice, with it and without it; what is settled is noted once nothing waits."""
    monkeypatch.setattr(checkpoints, "DISTANCE", 4)
    plan, home = live(tmp_path, source__max_batch_size="1 b")
    for n in range(4):
        write_events(tmp_path / "events" / f"{n}.csv", EVENTS[30 * n : 30 * (n + 1)])
        assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert commits(home) == 4 and check_checkpoint(home.log()) == home.log().last // 4 * 4 - 1
    begun = [entry.n for entry in home.log().audit() if isinstance(entry.body, Lease)]
    assert settled_until(home.log()) == begun[-1]
    shutil.rmtree(home.path / "checkpoints")
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert commits(home) == 4 and check_checkpoint(home.log()) is not None
    assert verify(spark, plan, home).is_proven


def test_two_drivers_in_turn(spark, tmp_path: Path) -> None:
    """The older one notices between batches that it is fenced, and leaves the heartbeat to the newer."""
    plan, home = live(tmp_path)
    older = Running(Runner(spark, plan, home))
    try:
        older.wait_until(lambda: home.log().epoch() == 1)
        write_events(tmp_path / "events" / "0.csv", EVENTS)
        older.wait_until(lambda: commits(home) == 1)
        assert Runner(spark, plan, home, available_now=True).run() == "finished"
        older.thread.join(30)
    finally:
        older.end()
    assert isinstance(older.failure, FencedError)
    assert (beat(home).epoch, beat(home).state) == (2, "finished")
    assert verify(spark, plan, home).is_proven


@pytest.mark.timeout(200)
def test_a_file_that_grows_after_it_was_read_is_said(spark, tmp_path: Path, monkeypatch, caplog) -> None:
    """In the driver's log, once; also by the next driver, for what happened while none was there."""
    monkeypatch.setattr(feed, "LOOK_SECONDS", 0.1)
    plan, home = live(tmp_path)
    files = [write_events(tmp_path / "events" / f"{n}.csv", EVENTS[40 * n : 40 * (n + 1)]) for n in range(3)]
    sizes = [file.stat().st_size for file in files]
    first = Running(Runner(spark, plan, home))
    try:
        first.wait_until(lambda: commits(home) == 1)
        with open(files[0], "a") as file:
            file.write(f"{EVENTS[0].line}\n")
        now = files[0].stat().st_size
        grown = f"the source file {files[0]} changed after it was read ({sizes[0]} bytes then, {now} now)"
        first.wait_until(lambda: grown in caplog.text)
        time.sleep(0.5)
    finally:
        first.end()
    assert caplog.text.count("changed after it was read") == 1
    assert read_status(home).changed_files == [grown]

    with open(files[1], "a") as file:
        file.write(f"{EVENTS[0].line}\n")
    caplog.clear()
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert caplog.text.count("changed after it was read") == 2 and f"{files[1]} changed" in caplog.text
    files[0].unlink()
    assert [change.split(" changed")[0] for change in read_status(home).changed_files] == [
        f"the source file {files[1]}"
    ]
    assert commits(home) == 1


def test_the_status_says_what_its_spark_does_not_fit(spark, tmp_path: Path, monkeypatch) -> None:
    plan, home = live(tmp_path)
    write_events(tmp_path / "events" / "0.csv", EVENTS[:40])
    monkeypatch.setattr(fitting, "_unusable", {spark.sparkContext: {"PlainTexts": "no such class"}})
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert read_status(home).unusable == {"PlainTexts": "no such class"}
    monkeypatch.setattr(fitting, "_unusable", {})
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert read_status(home).unusable == {}


def test_batches_keep_to_the_byte_cap(spark, tmp_path: Path) -> None:
    paths = [write_events(tmp_path / "sized" / "events" / f"{n}.csv", EVENTS[20 * n : 20 * (n + 1)]) for n in range(6)]
    cap = max(path.stat().st_size for path in paths) * 2
    table = events_table(source__max_batch_size=f"{cap} b")
    plan = plan_of(tmp_path / "sized", table, curve_insert(TUMBLE.sql, FEW))
    home = Home.create(tmp_path / "sized" / "home", plan)
    Runner(spark, plan, home).run()
    sizes = [sum(f.size for f in entry.body.files) for entry in home.log().audit() if isinstance(entry.body, Commit)]
    assert len(sizes) == 3 and max(sizes) <= cap
    assert rows_of(tmp_path / "sized" / "curve") == count_in(TUMBLE, [EVENTS], FEW)


@pytest.mark.timeout(200)
def test_a_window_over_processing_time_fires_without_new_rows(spark, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    table = events_table(source__monitor_interval="50 ms").replace(
        "ts TIMESTAMP(3),", "ts TIMESTAMP(3), pt AS PROCTIME(),"
    )
    insert = curve_insert("TUMBLE(INTERVAL '2' SECOND)", FEW).replace("DESCRIPTOR(ts)", "DESCRIPTOR(pt)")
    plan = plan_of(tmp_path, table, insert)
    home = Home.create(tmp_path / "home", plan)
    write_events(tmp_path / "events" / "0.csv", EVENTS)
    running = Running(Runner(spark, plan, home))
    try:
        running.wait_until(lambda: bool(rows_of(tmp_path / "curve")))
    finally:
        running.end()
    assert commits(home) == 1
    assert sum(row[3] for row in rows_of(tmp_path / "curve")) == len(EVENTS)
    assert verify(spark, plan, home).is_proven
