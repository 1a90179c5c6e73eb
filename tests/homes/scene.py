"""A report and its stream at a place: what a home is written with, and how it goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.filling import Filling
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.claiming import claim
from airflow_nrt.engine.publish.owing import Attempt, Owing, at_once, held
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.source import SplitEnumerator
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Lease, Left
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.home.next_generation import begin_next
from airflow_nrt.home.reopened import reopening
from airflow_nrt.home.skipped import ask, asked, skipping
from airflow_nrt.model.input.policy import policies_of
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.program.program import program_of
from airflow_nrt.table.reports.load import imported_in_isolation, load_report, plan_of_home
from tests.engine.reports import DAY, MINUTE, MORNING, source_file, write_lines

REPORTS = Path(__file__).parent / "reports"
START = MORNING + DAY
"""The processing time at which streams begin here."""
FINISH = START + DAY
"""The processing time at which they go on after they were kept."""


class Killed(Exception):
    """The driver is gone."""


class Scene:
    """`is_kept`: its home is left half-way. In the other one nothing goes wrong, and all results are published."""

    def __init__(self, spark: SparkSession, place: Path, is_kept: bool = False) -> None:
        self.spark = spark
        self.place = place
        self.is_kept = is_kept
        self.now = START
        self.arrived = 0

    # ------------------------------------------------------------------ the report

    @classmethod
    def of_report(
        cls, spark: SparkSession, place: Path, report: str, is_kept: bool, settings: dict[str, str] | None = None
    ) -> Scene:
        scene = cls(spark, place, is_kept)
        scene.change_report(report, settings)
        scene.begin()
        return scene

    @classmethod
    def of_kept(cls, spark: SparkSession, place: Path) -> Scene:
        """One whose home was left at this place."""
        scene = cls(spark, place)
        scene.home = Home.open(place / "home")
        return scene

    def change_report(self, report: str, settings: dict[str, str] | None = None) -> None:
        self.place.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPORTS / report, self.place / f"report{Path(report).suffix}")
        (self.place / "settings.json").write_text(json.dumps(settings or {}))

    @property
    def plan(self) -> Plan:
        (report,) = (path for path in self.place.glob("report.*") if path.suffix in (".sql", ".py"))
        settings = json.loads((self.place / "settings.json").read_text())
        program = program_of(report, self.place)
        if program is None:
            return load_report(report, settings)
        with imported_in_isolation(program):
            return load_report(report, settings)

    # ------------------------------------------------------------------ its driver

    def begin(self, attempt: Attempt = at_once) -> StreamDriver:
        """A driver begins, after those before it."""
        plan = self.plan
        self.home = Home.create(self.place / "home", plan)
        for insert in plan.written:
            claim(self.spark, self.home, insert)
        skipped = asked(self.home)
        writer = Writer.begin(
            self.home.log(), Lease("worker", 1, "kept", policies_of(plan), skipped, reopening(self.home).directories)
        )
        plan = skipping(skipped, plan)
        session = report_session(self.spark, plan)
        self.driver = StreamDriver(session, plan, self.home, writer, lambda: self.now, attempt)
        self.driver.recover()
        return self.driver

    def arrive(self, table: str, *lines: str, file: str | None = None, ends: str = "csv") -> Path:
        """A new file, modified at a whole second."""
        self.arrived += 1
        at = (START // 1000 + self.arrived) * 10**9
        return write_lines(self.place / table / f"{file or self.arrived}.{ends}", lines, at)

    def absorb(self, table: str, *lines: str, ends: str = "csv") -> None:
        self.driver.absorb(table, [source_file(self.arrive(table, *lines, ends=ends))])

    def skip(self, table: str, path: Path, line: int) -> None:
        source = self.plan.source(table)
        ask(self.home, table, [source_of(source.table).row_at(self.spark, source, f"{path}@{line}")])

    def split(self, path: Path) -> SourceFile:
        return source_file(path)

    def absorb_arrived(self) -> None:
        """What no commit has, a batch a split."""
        for source in self.driver.plan.sources:
            enumerator = self.enumerator(source.name)
            for split in enumerator.in_order(enumerator.poll()):
                self.driver.absorb(source.name, [split])

    def enumerator(self, source: str) -> SplitEnumerator:
        """That of a driver which has just begun."""
        table = self.driver.plan.source(source).table
        return source_of(table).enumerator(self.spark, table, read_by(self.home.log()).of(source))

    def fill(self, driver: StreamDriver, steps: int = 1000) -> None:
        """Fills tables that were added, in at most so many steps."""
        filling = Filling(self.spark, self.home, driver.plan, driver.writer, at_once)
        while filling and steps:
            filling.step()
            steps -= 1

    def pass_minutes(self, minutes: int) -> None:
        self.now += minutes * MINUTE

    def come_to_count(self) -> None:
        """The changed report reads what the driver has read, and comes to count in its place. In a home that is kept
        nothing of it is published."""
        plan, before = self.plan, self.driver.writer
        home = begin_next(self.home, plan, plan_of_home)
        writer = Writer.begin(home.log(), Lease("worker", 1, "kept", policies_of(plan)), before.epoch)
        driver = StreamDriver(report_session(self.spark, plan), plan, home, writer, lambda: self.now, held)
        for name, read in read_by(before.log).sources.items():
            for split in read.files:
                driver.absorb(name, [split])
        before.append(Left(home.generation))
        if self.is_kept:
            self.home, self.driver = home, driver
        else:
            self.begin()

    # ------------------------------------------------------------------ what goes wrong

    def die_between_append_and_publish(self, act: Callable[[], None]) -> None:
        """The driver decides on results, and is killed before it publishes them."""

        def killed(insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
            raise Killed

        if not self.is_kept:
            act()
            return
        self.driver.attempt = killed
        try:
            act()
        except Killed:
            return
        raise AssertionError("nothing was decided")

    def owe(self, name: str) -> None:
        """The sink of this insert does not answer from now on."""
        if self.is_kept:
            self.owing = Owing()

            def away() -> None:
                raise UnreachableError(f"the sink of {name} is away")

            def attempt(insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
                return self.owing.attempt(insert, entry, away if insert.name == name else action)

            self.driver.attempt = attempt

    def beat(self) -> None:
        """Leaves a heartbeat, as a driver that was killed does."""
        writer, owing = self.driver.writer, getattr(self, "owing", Owing())
        write_heartbeat(
            self.home.heartbeats,
            Heartbeat(
                RUNNING, writer.epoch, "worker", 1, START, "kept", entry=writer.log.last, owed=owing.first,
                error=f"waiting: {owing}" if owing else None, progress=START,
            ),
        )  # fmt: skip

    # ------------------------------------------------------------------ the end

    def finish(self, polled: bool = True) -> None:
        """Another driver publishes what was decided, absorbs what has arrived, and ends. Without `polled` no source is
        asked for what has arrived, because its server is not there."""
        self.now = FINISH
        driver = self.begin()
        self.fill(driver)
        if polled:
            self.absorb_arrived()
        for source in driver.plan.sources:
            driver.note(source.name, ended=True)

    def rows(self) -> dict[str, list[Any]]:
        """By insert, the lines of its files, in an order of their own."""
        found = {}
        for insert in self.plan.inserts:
            files = (path for path in Path(insert.sink.path).rglob("[!._]*") if path.is_file())
            found[insert.name] = sorted(line for path in files for line in path.read_text().splitlines())
        return found
