"""What is in the way of a job, provoked for real: said by its cause, and gone on with once it has passed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import SurroundingsError
from airflow_nrt.engine.driver.decide import failures as failure_decisions
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.failures.known_causes import CAUSES, cause_of
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.java import java_process
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.cli.place import furnish

WITHOUT_POWER = ("setpriv", *(f"--{which}=-dac_override,-dac_read_search" for which in ("inh-caps", "bounding-set")))
"""Root, to whom permissions of files apply as to anybody."""
ALL = """
CREATE TABLE orders (id BIGINT, text STRING) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE told (id BIGINT, text STRING) WITH ('connector' = 'filesystem', 'path' = 'told', 'format' = 'json');
INSERT INTO told SELECT id, text FROM orders;
"""


LISTED = """
import json, os, sys
from airflow_nrt.engine.sources.arrivals import Arrivals
arrivals = Arrivals(sys.argv[1], None)
found = [arrivals.poll(), arrivals.unreadable.copy()]
os.chmod(sys.argv[2], 0o755)
print(json.dumps([len(found[0]), found[1], [file.path for file in arrivals.poll()]]))
"""


@pytest.fixture
def small_disk(process: None, tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def written(place: Path) -> int:
    return sum(len(file.read_text().splitlines()) for file in (place / "told").glob("*.json"))


def test_a_full_disk(spark, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Spark writes, and where the log is written."""
    monkeypatch.setattr(failure_decisions, "RETRIES", 0)
    lines = "".join(f"{n},{os.urandom(400).hex()}\n" for n in range(1000))
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "0.csv").write_text(lines)
    report = small_disk / "all.sql"
    report.write_text(ALL.replace("'path' = 'orders'", f"'path' = '{tmp_path}/orders'"))
    plan = load_report(report)
    home = Home.create(small_disk / "home", plan)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_500_000))
    with pytest.raises(SurroundingsError) as full:
        Runner(spark, plan, home, available_now=True).run()
    assert str(full.value).startswith(f"no space is left on the disk of {small_disk}")
    beat = read_heartbeat(home.heartbeats)
    assert beat is None or (beat.state, beat.final) in (("failed", False), ("running", False))
    assert written(small_disk) == 0
    ballast.unlink()
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert written(small_disk) == 1000


def test_a_log_on_a_full_disk(small_disk: Path) -> None:
    with pytest.raises(OSError) as full:
        (small_disk / "ballast").write_bytes(bytes(4_000_000))
    meaning = explained(full.value)
    assert isinstance(meaning, SurroundingsError) and meaning.passes
    assert "no space is left" in str(meaning)


def test_a_read_only_file_system(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OSError) as denied:
        (small_disk / "x").write_text("x")
    assert str(explained(denied.value)) == f"the file system of {small_disk}/x is read-only: mount it for writing"


def test_a_file_that_was_taken_away(spark, tmp_path: Path) -> None:
    (tmp_path / "gone.csv").write_text("1\n")
    rows = spark.read.text(str(tmp_path / "gone.csv"))
    (tmp_path / "gone.csv").unlink()
    for read in (rows.collect, lambda: spark.read.text(str(tmp_path / "gone.csv"))):
        with pytest.raises(Exception) as gone:
            read()
        meaning = explained(gone.value)
        assert isinstance(meaning, SurroundingsError)
        assert str(meaning).startswith(f"the file {tmp_path}/gone.csv was removed before it was read")


@pytest.mark.process
def test_spark_may_not_write(tmp_path: Path) -> None:
    """In a process of its own: that of the tests may be root's."""
    (tmp_path / "closed").mkdir(mode=0o555)
    script = f"""
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.session import start_session
ensure_java()
spark = start_session("x", "local[1]", {{}})
try:
    spark.range(1).write.json({str(tmp_path / "closed" / "x")!r})
except Exception as failure:
    print(explained(failure))
"""
    told = ordinary([sys.executable, "-c", script], tmp_path)
    assert told.stdout.splitlines()[-1].startswith(f"the directory {tmp_path}/closed/x can't be made: user ")


# ---------------------------------------------------------------------------------------------------- commands


def ordinary(line: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    """What a process says that permissions hold back."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root needs setpriv to be held back by permissions")
    held = (*WITHOUT_POWER, *line) if os.geteuid() == 0 else tuple(line)
    return subprocess.run(held, capture_output=True, text=True, env={**os.environ, "HOME": str(place)})


def run(report: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(report), "--home", str(report.parent / "home")]
    return ordinary([*line, "--available-now", "--master", "local[2]"], report.parent)


@pytest.mark.thorough
@pytest.mark.process
def test_files_that_can_not_be_opened_wait(tmp_path: Path) -> None:
    report = furnish(tmp_path)
    closed, link = tmp_path / "orders" / "closed.csv", tmp_path / "orders" / "link.csv"
    later = tmp_path / "orders" / "_later.csv"
    closed.write_text("8,b,8.00,2024-06-18 11:21:00\n")
    closed.chmod(0)
    link.symlink_to(later)
    answer = run(report)
    assert (answer.returncode, answer.stdout) == (0, "curve: finished\n"), answer.stderr
    assert f"{closed} can't be opened (Permission denied): it waits until it can" in answer.stderr
    assert f"{link} can't be opened (No such file or directory, it is a link to {later})" in answer.stderr
    assert status(tmp_path)["unreadable_files"] == 2
    closed.chmod(0o600)
    later.write_text("9,b,9.00,2024-06-18 11:22:00\n")
    files = status(tmp_path)["files"]
    assert run(report).returncode == 0
    assert (status(tmp_path)["files"], status(tmp_path)["unreadable_files"]) == (files + 2, 0)


def status(place: Path) -> dict[str, int]:
    from airflow_nrt.home.status import read_status

    told: dict[str, int] = json.loads(json.dumps(read_status(Home.open(place / "home")).to_json()))
    return told


@pytest.mark.process
def test_files_of_a_directory_that_can_be_listed_and_not_entered_wait(tmp_path: Path) -> None:
    directory, file = tmp_path / "orders" / "ds=1", tmp_path / "orders" / "ds=1" / "a.csv"
    directory.mkdir(parents=True)
    file.write_text("1,a\n")
    for one in (directory, tmp_path / "orders"):
        os.utime(one, (0, 0))
    directory.chmod(0o644)
    power = WITHOUT_POWER if os.geteuid() == 0 else ()
    answer = subprocess.run(
        [*power, sys.executable, "-c", LISTED, str(tmp_path / "orders"), str(directory)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(answer.stdout) == [0, {str(file): "Permission denied"}, [str(file)]]


@pytest.mark.process
def test_a_sink_without_permission(tmp_path: Path) -> None:
    report = furnish(tmp_path)
    (tmp_path / "curve").mkdir(mode=0o555)
    answer = run(report)
    assert answer.returncode == 2
    assert answer.stderr.splitlines()[-1].startswith(
        f"airflow-nrt: table 'curve': no permission to write {tmp_path}/curve/"
    )


# ---------------------------------------------------------------------------------------------------- words


def test_what_is_nobodys_fault_here() -> None:
    for failure in (ValueError("x"), RuntimeError("the query of orders ended by itself")):
        assert cause_of(chain_of(failure)) is None


def test_the_place_that_a_file_was_to_go_to(tmp_path: Path) -> None:
    wrong = PermissionError(13, os.strerror(13), str(tmp_path / "staged"), None, str(tmp_path / "sink"))
    assert str(explained(wrong)).startswith(f"no permission for {tmp_path}/sink: let user ")


def test_a_cluster_that_ends_the_application_may_be_back() -> None:
    """Where Spark was stopped in mid-run, the driver's end is no final one: supervision starts another."""
    for words in (
        "Cannot call methods on a stopped SparkContext.",
        "Job 3 cancelled because SparkContext was shut down",
        "java.lang.IllegalStateException: LiveListenerBus is stopped.",
    ):
        met = explained(RuntimeError(words))
        assert isinstance(met, SurroundingsError) and met.passes and "The cluster's log says why" in str(met)


def test_each_cause_says_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # The Java of this process, if it has one, is waited for: it does not end.
    monkeypatch.setattr(java_process, "_PATIENCE", 0)
    for cause in CAUSES.values():
        for path in ("/data/x", None):
            assert len(cause.message(path)) > 40 and "None" not in cause.message(path)
