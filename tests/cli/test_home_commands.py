"""What the commands tell of a home that a real stream has made."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.curve.picture import progress_line
from airflow_nrt.home.heartbeat import FINISHED, RUNNING, Heartbeat, now_ms, read_heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.status import read_status
from tests.cli.conftest import SAID, Command
from tests.cli.place import furnish
from tests.engine import reports
from tests.sample import plan_of


def told(command: Command, name: str, place: Path, *arguments: object):
    answer = command(name, "--home", place / "home", "--json", *arguments)
    assert (answer.status, answer.err) == (0, "")
    return json.loads(answer.out)


def test_what_was_published(streamed: Path) -> None:
    rows = [
        json.loads(line) for file in sorted(streamed.glob("curve/*.json")) for line in file.read_text().splitlines()
    ]
    assert [(row["window_end"][11:16], row["shop"], row["cnt"]) for row in rows] == [
        ("10:10", "a", 1),
        ("10:20", "a", 1), ("10:20", "b", 1),
        ("10:30", "a", 1), ("10:30", "b", 1),
        ("10:40", "a", 2), ("10:40", "b", 1),
        ("10:50", "a", 3), ("10:50", "b", 1),
        ("11:00", "a", 3), ("11:00", "b", 1),
    ]  # fmt: skip


def test_what_a_stream_said(streamed: Path) -> None:
    said = (streamed / SAID).read_text().splitlines()
    home = streamed / "home"
    assert said[:4] == [
        f"curve: home {home}, on local[2]",
        f"  reads  orders: csv in {streamed}/orders, new files every 200 ms, watermark ts - INTERVAL '5' MINUTES",
        f"  writes curve: json into {streamed}/curve, CUMULATE 10 minutes / 1 hour",
        f"  what Spark says is in {home}/driver.log (--debug shows it here)",
    ]
    entries = [line[10:] for line in said[4:-1]]
    assert entries[0].startswith("driver of epoch 1, process ")
    assert entries[1:] == [
        "orders: 1 file, 2 rows · watermark 2024-06-18 10:06:00",
        "orders: 1 file, 1 row · watermark 2024-06-18 10:35:00",
        "curve: 3 windows up to 2024-06-18 10:30:00 · watermark 2024-06-18 10:35:00",
        "orders: 1 file, 3 rows, 2 late, 1 rejected · watermark 2024-06-18 10:35:00",
        "orders: 1 file, 1 row · watermark 2024-06-18 11:15:00",
        "curve: 3 windows up to 2024-06-18 11:00:00 · watermark 2024-06-18 11:15:00",
    ]
    summary = (
        "curve: 6 windows published; 7 rows from 4 splits in 4 batches, 2 late (1 of them in no window), 1 rejected; "
    )
    assert said[-1].startswith(summary)
    assert (home / "driver.log").stat().st_mode & 0o777 == 0o600


def test_status(command: Command, streamed: Path) -> None:
    status = told(command, "status", streamed)
    counts = {
        name: status[name] for name in ("rows", "files", "late", "dropped", "rejected", "windows", "restatements")
    }
    assert counts == {"rows": 7, "files": 4, "late": 2, "dropped": 1, "rejected": 1, "windows": 6, "restatements": 0}
    assert (status["report"], status["driver"], status["epoch"]) == ("curve", "finished", 1)
    text = command("status", "--home", streamed / "home").out
    assert "driver      finished on " in text
    assert "watermark   2024-06-18 11:15:00, " in text
    assert "windows     6 published, complete up to 2024-06-18 11:10:00" in text
    assert "rows        7 from 4 splits; 2 late (1 of them in no window), 1 rejected" in text


def test_watching_a_status_ends_with_its_driver(command: Command, streamed: Path) -> None:
    answer = command("status", "--home", streamed / "home", "--watch")
    assert answer.status == 0 and answer.out.count("driver      finished on ") == 1
    (line,) = command("status", "--home", streamed / "home", "--watch", 1, "--json").out.splitlines()
    assert json.loads(line)["driver"] == "finished"
    wrong = command("status", "--home", streamed / "home", "--watch", 0)
    assert wrong.status == 2 and "--watch: 0 seconds are no time to wait" in wrong.err


def test_status_of_files_that_changed_after_they_were_read(command: Command, streamed: Path, tmp_path: Path) -> None:
    file = streamed / "orders" / "0.csv"
    before, stat = file.read_bytes(), file.stat()
    assert told(command, "status", streamed)["changed_files"] == []
    try:
        file.write_bytes(before + b"9,a,1.00,2024-06-18 11:21:00\n")
        changed = f"the source file {file} changed after it was read ({len(before)} bytes then, {len(before) + 29} now)"
        assert told(command, "status", streamed)["changed_files"] == [changed]
        text = command("status", "--home", streamed / "home").out
        assert f"changed     {changed}: what was added or changed is in no result\n" in text
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_show(command: Command, streamed: Path) -> None:
    answer = command("show", "--home", streamed / "home", "--column", "cnt")
    assert (answer.status, answer.err) == (0, "")
    title, *curve, progress = answer.out.splitlines()
    assert title == "cnt of curve, CUMULATE 10 minutes / 1 hour"
    # From 1 row to 4, in a column of blocks a window.
    assert "█" in curve[-3] and curve[-1].split() == "2024-06-18 10:10:00 2024-06-18 11:00:00".split()
    assert progress.startswith("driver finished, epoch 1 · 6 windows published · watermark 2024-06-18 11:15:00 · lag ")
    assert " of the data · 7 rows, 2 late · last entry " in progress
    wrong = command("show", "--home", streamed / "home", "--column", "shop")
    assert (wrong.status, wrong.err) == (2, "airflow-nrt: curve has no column 'shop' of numbers: cnt, gmv\n")


def test_lag(streamed: Path) -> None:
    status = read_status(Home.open(streamed / "home"))
    assert status.last_window is not None
    assert " · lag 7 minutes · " in progress_line(status, status.last_window + 7 * 60_000 + 999)
    # Data of another day: its clock stands at its watermark, 11:15; the newest window ended at 11:10.
    assert " · lag 5 minutes of the data · " in progress_line(status, status.last_window + 86_400_000)


def test_windows(command: Command, streamed: Path) -> None:
    windows = told(command, "windows", streamed)
    assert [(one["insert"], one["state"], one["rows"]) for one in windows] == [
        ("curve", "complete", rows) for rows in (1, 2, 2, 2, 2, 2)
    ]
    lines = command("windows", "--home", streamed / "home").out.splitlines()
    assert lines[0].split() == "insert window start window end state rows entry published (UTC)".split()
    assert lines[1].split()[:7] == "curve 2024-06-18 10:00:00 2024-06-18 10:10:00 complete 1".split()
    assert len(lines) == 7


def test_windows_at_a_time(command: Command, streamed: Path) -> None:
    first = min(one["time"] for one in told(command, "windows", streamed))
    assert told(command, "windows", streamed, "--at", format_instant(first - 1)) == []
    seen = told(command, "windows", streamed, "--at", format_instant(first))
    assert [one["time"] for one in seen] == [first] * len(seen) and 0 < len(seen) < 6
    wrong = command("windows", "--home", streamed / "home", "--at", "noon")
    assert (wrong.status, wrong.err.partition(": write")[0]) == (2, "airflow-nrt: --at: 'noon' is not a time")


def test_changelog(command: Command, streamed: Path) -> None:
    changes = told(command, "changelog", streamed)
    assert [(one["op"], one["rows"]) for one in changes] == [("+I", rows) for rows in (1, 2, 2, 2, 2, 2)]
    lines = command("changelog", "--home", streamed / "home").out.splitlines()
    assert lines[0].split() == "entry published (UTC) op insert window start window end state rows".split()
    assert lines[1].split()[3:] == "+I curve 2024-06-18 10:00:00 2024-06-18 10:10:00 complete 1".split()
    assert len(lines) == 7
    asked = command("changelog", "--home", streamed / "home", "--rows")
    assert asked.status == 2 and "--rows: no table that this report writes has a format of changes" in asked.err


TOTALS = """
SET 'table.exec.state.ttl' = '1 d';
CREATE TABLE totals (shop INT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/totals', 'format' = 'debezium-json');
INSERT INTO totals SELECT shop, COUNT(*) FROM events GROUP BY shop;
CREATE TABLE hours (shop INT, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/hours',
    'format' = 'debezium-json', 'first-result' = '-2 h');
INSERT INTO hours SELECT shop, COUNT(*) FROM TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)
GROUP BY shop, window_start, window_end;
"""


def test_changelog_of_rows(spark, command: Command, tmp_path: Path) -> None:
    plan = reports.plan_of(tmp_path, reports.events_table(), TOTALS)
    stream = reports.Stream(spark, plan, tmp_path / "home")
    lines = [f"{n},{shop},5,a,10.00,0.5,2024-06-18 10:00:0{n}" for n, shop in enumerate((1, 1, 2))]
    for n, line in enumerate(lines):
        stream.absorb(reports.write_lines(tmp_path / "events" / f"{n}.csv", [line]))
    changes = told(command, "changelog", tmp_path, "--rows")
    for name in ("totals", "hours"):
        told_rows = [
            [(row["op"], row["before"] or row["after"]) for row in one["rows_changed"]]
            for one in changes
            if one["insert"] == name
        ]
        assert told_rows == [
            [("c", {"shop": 1, "n": 1})],
            [("d", {"shop": 1, "n": 1}), ("c", {"shop": 1, "n": 2})],
            [("c", {"shop": 2, "n": 1})],
        ]
    assert [one["op"] for one in changes if one["insert"] == "hours"] == ["+I", "+U", "+U"]
    text = command("changelog", "--home", tmp_path / "home", "--rows").out.splitlines()
    assert [line.strip() for line in text if "{" in line] == [
        '+   {"shop": 1, "n": 1}', '+   {"shop": 1, "n": 1}',
        '-   {"shop": 1, "n": 1}', '+   {"shop": 1, "n": 2}', '-   {"shop": 1, "n": 1}', '+   {"shop": 1, "n": 2}',
        '+   {"shop": 2, "n": 1}', '+   {"shop": 2, "n": 1}',
    ]  # fmt: skip
    shown = command("show", "--home", tmp_path / "home")
    assert shown.status == 2 and "`airflow-nrt changelog` shows what it publishes" in shown.err


def test_late(command: Command, streamed: Path) -> None:
    late = told(command, "late", streamed)
    assert (late["late"], late["dropped"], late["rejected"]) == (2, 1, {"malformed line": 1})
    assert [(row["kind"], row.get("dropped")) for row in late["rows"]] == [
        ("late", False),
        ("late", True),
        ("rejected", None),
    ]
    text = command("late", "--home", streamed / "home").out
    assert text.startswith("2 late rows, 1 of them in no window\n1 rejected: malformed line\n")
    assert "missed the windows that end at 2024-06-18 10:10:00 … 2024-06-18 10:30:00" in text
    assert "2.csv: six,a,much,2024-06-18 10:41:00,more" in text
    limited = command("late", "--home", streamed / "home", "--limit", "1").out
    assert limited.endswith("… the first 1; --limit 0 shows all\n")


def test_verify(spark_command: Command, streamed: Path) -> None:
    answer = spark_command("verify", streamed / "curve.sql", "--home", streamed / "home", "--master", "local[2]")
    assert answer.status == 0, answer.out + answer.err
    assert "curve: 11 windows, 3 equal, 8 explained by late rows, 0 unexplained, 1 pending" in answer.out
    assert answer.out.endswith("proven: every difference is explained by late rows\n")


def test_an_archive_is_compared_whole(command: Command, streamed: Path) -> None:
    options = ("--home", streamed / "home", "--against", "topic", "--start", "2024-06-18 10:00")
    answer = command("verify", streamed / "curve.sql", *options)
    assert answer.status == 2 and "leave out --start, --end and --published" in answer.err


def test_stop_where_nobody_runs(command: Command, streamed: Path) -> None:
    answer = command("stop", "--home", streamed / "home")
    assert (answer.status, answer.out) == (0, "no driver is running (the last one finished)\n")


@pytest.fixture
def running(tmp_path: Path) -> Home:
    """A home whose driver says that it runs."""
    home = Home.create(tmp_path / "home", plan_of())
    writer = Writer.begin(home.log(), Lease("host", 1, "application"))
    write_heartbeat(home.heartbeats, Heartbeat(RUNNING, writer.epoch, "host", 1, 0, "application"))
    return home


def test_stop_asks_and_waits(command: Command, running: Home) -> None:
    answer = command("stop", "--home", running.path, "--timeout", "0.3")
    assert answer.status == 1
    assert answer.err == "airflow-nrt: the driver of epoch 1 has not stopped within 0.3 s; the request stands\n"
    assert running.is_stop_asked(1)


def test_stop_tells_how_it_ended(command: Command, running: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_as_the_driver_would(seconds: float) -> None:
        beat = read_heartbeat(running.heartbeats)
        assert beat is not None and running.is_stop_asked(beat.epoch)
        write_heartbeat(running.heartbeats, Heartbeat(FINISHED, beat.epoch, "host", 1, 0, "application"))

    monkeypatch.setattr("time.sleep", end_as_the_driver_would)
    answer = command("stop", "--home", running.path)
    assert (answer.status, answer.out) == (0, "the driver of epoch 1 finished\n")


@pytest.mark.process
def test_stop_where_the_driver_was_killed(command: Command, running: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        process.kill()
    beat = Heartbeat(RUNNING, 1, socket.gethostname(), process.pid, now_ms(), "application")
    write_heartbeat(running.heartbeats, beat)
    monkeypatch.setattr("airflow_nrt.launch.living.CERTAINTY_SECONDS", 0.1)
    answer = command("stop", "--home", running.path)
    assert (answer.status, answer.out) == (0, "no driver is running (the last one died)\n")


def test_check_and_plan(command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path)
    assert command("check", report).out == f"{report}: fine (1 source, 1 window operator → curve)\n"
    interval = ("--start", "2024-06-18 10:00", "--end", "2024-06-18 10:30")
    plan = json.loads(command("plan", report, "--json", *interval).out)
    (operator,) = plan["operators"]
    assert (operator["window"], operator["slice"]) == ("CUMULATE 10 minutes / 1 hour", "10 minutes")
    assert (operator["windows_per_slice"], operator["keys"]) == (6, ["shop STRING"])
    (source,) = plan["sources"]
    assert source["batch_reads"]["rows_from"] == "2024-06-18 10:00:00"
    text = command("plan", report).out
    assert "report curve" in text and "CUMULATE 10 minutes / 1 hour" in text and "estimate" not in text
    assert "estimate at 5,000 rows a second, 20 keys" in command("plan", report, "--rate", "5000", "--keys", "20").out
    estimate = json.loads(command("plan", report, "--rate", "5000", "--json").out)["estimate"]
    assert estimate["cores"] >= 1 and estimate["state_bytes"] > 0
    assert command("plan", report, "--rate", "0").status == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["curve.sql", "orders"]


@pytest.mark.process
def test_deep_check_runs_spark(tmp_path: Path) -> None:
    """And leaves nothing."""
    (tmp_path / "local").mkdir()
    told = subprocess.run(
        [sys.executable, "-m", "airflow_nrt.cli.main", "check", furnish(tmp_path), "--deep"],
        capture_output=True, text=True, check=False, env={**os.environ, "SPARK_LOCAL_DIRS": str(tmp_path / "local")},
    )  # fmt: skip
    assert (told.returncode, "airflow-nrt: " in told.stderr) == (0, False)
    assert told.stdout.endswith(": fine (1 source, 1 window operator → curve)\n")
    assert list((tmp_path / "local").iterdir()) == []
    assert not (tmp_path / "curve").exists()
