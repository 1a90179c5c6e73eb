"""Drivers as processes of their own, which are killed and frozen at fault points, beside drivers in this process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pandas
from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.faults import FILLING, POINTS, PUBLISHING, VARIABLE
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Position
from airflow_nrt.sql.load import load_report
from tests.engine.reports import (
    DELAY,
    FEW,
    HOUR,
    MORNING,
    arriving,
    curve_insert,
    cut,
    events_table,
    ordered,
    random_events,
    write_lines,
)
from tests.engine.shared_java import SharedJava

BATCHES = 4
SMALL = (
    "--master", "local[1]",
    "--set", "spark.driver.memory=512m",
    "--set", "spark.driver.extraJavaOptions=-XX:+UseSerialGC",
)  # fmt: skip
EVENTS = events_table(path="${OUT}/events", source__monitor_interval="100 ms", source__max_batch_size="1 b")
"""Live, and one file a batch, so that every driver cuts the stream alike."""
CURVE = curve_insert("CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' HOUR)", FEW, path="${OUT}/curve")
RECENT = curve_insert("TUMBLE(INTERVAL '20' MINUTE)", FEW, "recent", path="${OUT}/recent")


@dataclass(frozen=True)
class Place:
    """Where one deployment of the report lives, with a copy of the rows of its own."""

    data: Path
    own: Path

    @classmethod
    def make(cls, directory: Path, *inserts: str) -> Place:
        """A report of these inserts, and its rows in files whose order of arrival is fixed. Some rows are late."""
        events = random_events(7, 240, 3 * HOUR)
        arrived = cut(arriving(events, 7, DELAY, late=0.1), 7, BATCHES)
        for n, batch in enumerate(arrived):
            lines = (event.line for event in batch)
            write_lines(directory / "clean" / "events" / f"{n}.csv", lines, at=(MORNING + n * 1000) * 1_000_000)
        (directory / "report.sql").write_text("\n".join([EVENTS, *inserts]))
        return cls(directory, directory / "clean")

    def beside(self, name: str) -> Place:
        """Another deployment, of which nothing has run yet."""
        shutil.copytree(self.own / "events", self.data / name / "events")
        return replace(self, own=self.data / name)

    def add_rows(self) -> None:
        """One more file arrives, whose rows would fire windows."""
        more = random_events(8, 20, HOUR, start=MORNING + 6 * HOUR)
        write_lines(self.own / "events" / "more.csv", (event.line for event in more))

    @property
    def report(self) -> Path:
        return self.data / "report.sql"

    @property
    def home(self) -> Home:
        return Home.at(self.own / "home")

    def run(self, spark: SparkSession) -> str:
        """All that has arrived, by a driver in this process; gives the state that it ended in."""
        plan = load_report(self.report, {"OUT": str(self.own)})
        return Runner(spark, plan, Home.create(self.own / "home", plan), available_now=True).run()


@dataclass(frozen=True)
class Outcome:
    """What a report has come to: published rows of each sink, and the position without the names of state files."""

    rows: dict[str, list[tuple[Any, ...]]]
    position: Position
    state: dict[str, list[tuple[int, int, int]]]


def outcome(place: Place) -> Outcome:
    position = place.home.log().position()
    bare = {name: replace(state, rows=(), closed=()) for name, state in position.operators.items()}
    state = {
        name: sorted((file.first, file.last, file.rows) for file in (*one.rows, *one.closed))
        for name, one in position.operators.items()
    }
    missing = [path for path in position.files() if not (place.home.path / path).is_dir()]
    assert not missing, f"the position refers to state that is gone: {missing}"
    return Outcome({name: published(place, name) for name in SINKS}, replace(position, operators=bare), state)


SINKS = ("curve", "recent")
ONE_OF_EACH_STEP = (
    "lease-after",
    "absorb-written",
    "commit-after",
    "fire-staged",
    "publish-between",
)
"""Of the fault points those that the suite goes through; all of them are for `make thorough`."""


def published(place: Place, sink: str) -> list[tuple[Any, ...]]:
    files = list((place.own / sink).rglob("*.parquet"))
    return ordered(duckdb.sql(f"FROM '{place.own / sink}/**/*.parquet'").fetchall()) if files else []


def check_readers(spark: SparkSession, place: Place, clean: Outcome) -> None:
    """Any reader sees the same, and of every window that it sees all rows; the rest is hidden from it."""
    for sink in SINKS:
        directory = place.own / sink
        rows = published(place, sink)
        for path in (path for path in directory.rglob("*") if path.is_file()):
            hidden = path.name.startswith(("_", ".")) and path.suffix != ".parquet"
            assert hidden or path.suffix == ".parquet", f"{path} is neither published nor hidden"
        whole = defaultdict(list)
        for row in clean.rows[sink]:
            whole[row[2]].append(row)
        ends = {row[2] for row in rows}
        assert rows == ordered(row for end in ends for row in whole[end])
        if rows:
            assert ordered(spark.read.parquet(str(directory)).collect()) == rows
            seen = pandas.read_parquet(directory)
            assert len(seen) == len(rows)
            assert seen.gmv.dropna().sum() == sum(row[5] for row in rows if row[5] is not None)
            assert seen.users.sum() == sum(row[4] for row in rows)


# ---------------------------------------------------------------------------------------------------- processes


_DIE_WITH_PARENT = (
    "import ctypes, os, signal, sys; ctypes.CDLL(None).prctl(1, signal.SIGKILL); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Linux: a frozen driver must not outlive tests that were killed.

A program of its own, not `preexec_fn`: that runs in a fork of this process, where py4j's finalizers shut down the
sockets which the two share, in the middle of whatever the tests ask of Spark.
"""


class Driver:
    """A driver in its own process, which is to die or to freeze at a fault point.

    It is a session with its JVM, if it has one of its own. A JVM that it shares with others has no other driver now.
    """

    def __init__(self, place: Place, fault: str, java: SharedJava | None = None) -> None:
        self.place = place
        self._java = java
        self.output = place.own / "driver.txt"
        command = [sys.executable, "-c", _DIE_WITH_PARENT, sys.executable, "-m", "airflow_nrt.engine.main"]
        command += [
            "--report",
            place.report,
            "--available-now",
            "--home",
            place.home.path,
            "--set",
            f"OUT={place.own}",
            *SMALL,
        ]
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                env={**os.environ, **(java.environment if java is not None else {}), VARIABLE: fault},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until(self, state: Callable[[], bool], seconds: float = 90) -> None:
        deadline = time.monotonic() + seconds
        while not state():
            assert time.monotonic() < deadline, f"the driver did not get there:\n{self.output.read_text()[-3000:]}"
            time.sleep(0.05)

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def is_frozen(self) -> bool:
        assert not self.is_over(), f"the driver never froze:\n{self.output.read_text()[-3000:]}"
        return process_stat(self.process.pid)[0] == "T"

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def remains(self) -> list[int]:
        """The processes that are left of it: its JVM, if anything."""
        return [pid for pid in living() if session_of(pid) == self.process.pid]

    def left_nothing(self) -> bool:
        return not self.remains()

    def end(self) -> None:
        """Leaves nothing behind, whatever a test has found."""
        for pid in {self.process.pid, *self.remains()} if not self.is_over() else set(self.remains()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait(10)
        if self._java is not None:
            self._java.end_session()


def process_stat(pid: int) -> list[str]:
    """State, parent, group, session, … of a process. Raises OSError if there is none."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def session_of(pid: int) -> int | None:
    try:
        stat = process_stat(pid)
    except OSError:
        return None
    return int(stat[3]) if stat[0] != "Z" else None


def living() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def fault(what: str, point: str, time: int) -> str:
    assert point in (*POINTS, *FILLING, *chain(*PUBLISHING.values()))
    return f"{what}:{point}@{time}"
