"""The same stream on Spark and in memory: what happens to it, what its log says, and what readers see."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.publishing import publish_owed
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Entry, Lease, Position, Published, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.plan import Plan
from airflow_nrt.testing.memory import MemoryHome, MemoryStream, Row
from tests.engine.driver.agree.away import Away
from tests.engine.driver.agree.kind import Kind
from tests.engine.reports import EPOCH, MINUTE, clock, source_file, write_lines
from tests.engine.timed import TEN

Arrived = tuple["int | None", int, float]
"""Shop, user, and minutes from 10:00."""


class Live(ABC):
    """A stream of the report of a kind. Its processing time is `now` (ms)."""

    def __init__(self, kind: Kind, plan: Plan) -> None:
        self.kind = kind
        self.plan = plan
        self.now = TEN
        self.away = Away()

    @abstractmethod
    def restart(self) -> None:
        """A driver begins: the first one, or the successor of one that has died."""

    @abstractmethod
    def rows(self, source: str, rows: Sequence[Arrived]) -> None: ...

    @abstractmethod
    def idle(self, source: str) -> None: ...

    @abstractmethod
    def end(self, source: str) -> None: ...

    @abstractmethod
    def name_shops(self, names: Mapping[int, str]) -> None:
        """Replaces the dimension table."""

    @abstractmethod
    def pass_time(self) -> None:
        """Publishes what is due by processing time."""

    @abstractmethod
    def pay(self) -> None:
        """Publishes what is owed to sinks that answer again."""

    @property
    @abstractmethod
    def entries(self) -> list[Entry]: ...

    @abstractmethod
    def content(self, published: Published) -> list[Any] | None:
        """What a reader sees of it: rows, or changes. None if it is not there."""

    def shown(self) -> list[Any]:
        """What readers see: windows by their ends, and changes in the order in which they were published."""
        windows: dict[str, Any] = {}
        changes = []
        for entry in self.entries:
            for one in entry.published:
                rows = sorted(self.content(one) or [], key=repr)
                if one.end is None:
                    changes += [rows] if rows else []
                else:
                    windows[one.target] = (one.end, rows)
        return [*sorted((one for one in windows.values() if one[1]), key=repr), *changes]

    def said(self) -> list[Any]:
        """What the log says, without names of files. Ticks that only merge files say nothing."""
        found: list[Any] = []
        for entry in self.entries:
            published = sorted((one.insert, one.end or 0, one.state, one.rows) for one in entry.published if one.rows)
            says = (entry.kind, published, len(entry.removed), _settled(entry.position), _batch(entry))
            if not (isinstance(entry.body, Tick) and found and not published and says[3] == found[-1][3]):
                found.append(says)
        return found


def _settled(position: Position | None) -> Any:
    if position is None:
        return None
    operators = {name: (one.watermark, one.fired, one.complete) for name, one in position.operators.items()}
    versions = {name: (one.at, dict(one.rows), [*one.standing]) for name, one in position.versions.items()}
    counts = position.late, position.dropped, position.windows
    return operators, versions, position.sources, counts, dict(position.moments)


def _batch(entry: Entry) -> Any:
    if not isinstance(entry.body, Commit):
        return None
    return entry.body.source, entry.body.rows, entry.body.clock, dict(entry.body.seen), entry.body.late


class InMemory(Live):
    def __init__(self, kind: Kind) -> None:
        super().__init__(kind, kind.in_memory)
        self.home = MemoryHome(self.plan, kind.means)
        self.name_shops({})
        self.restart()

    def restart(self, before: Callable[[Any], None] = lambda action: None) -> None:
        self.away.begin()
        self.stream = MemoryStream(self.home, lambda: self.now, self.away.attempt, before=before)

    def rows(self, source: str, rows: Sequence[Arrived]) -> None:
        self.stream.rows(source, [Row(shop, user, TEN + int(minute * MINUTE)) for shop, user, minute in rows])

    def idle(self, source: str) -> None:
        self.stream.idle(source)

    def end(self, source: str) -> None:
        self.stream.ended(source)

    def name_shops(self, names: Mapping[int, str]) -> None:
        self.home.dimensions.setdefault("names", []).append([Row(shop, name) for shop, name in names.items()])

    def pass_time(self) -> None:
        self.stream.pass_time()

    def pay(self) -> None:
        self.away.pay(self.stream)

    @property
    def entries(self) -> list[Entry]:
        return self.home.entries

    def content(self, published: Published) -> list[Any] | None:
        if published.end is not None:
            windows = self.home.windows.get(published.insert, {}).get(published.target)
            return None if windows is None else list(windows)
        changes = self.home.changes.get(published.insert, {}).get(published.target)
        if changes is None or self.kind.changes:
            return None if changes is None else list(changes)
        return [row for _, row in changes]


class OnSpark(Live):
    def __init__(self, spark: SparkSession, kind: Kind, place: Path) -> None:
        super().__init__(kind, kind.plan(place))
        self.spark = spark
        self.place = place
        self.versions = 0
        self.name_shops({})
        self.restart()

    def restart(self) -> None:
        self.away.begin()
        self.home = Home.create(self.place / "home", self.plan)
        for insert in self.plan.inserts:
            sink_of(insert).check(self.spark, self.home, insert)
        writer = Writer.begin(self.home.log(), Lease("here", 0, "test"))
        session = report_session(self.spark, self.plan)
        self.driver = StreamDriver(session, self.plan, self.home, writer, lambda: self.now, self.away.attempt)
        self.driver.recover()

    def rows(self, source: str, rows: Sequence[Arrived]) -> None:
        lines = [f"{'NULL' if shop is None else shop},{user},{_text(minute)}" for shop, user, minute in rows]
        number = len(list((self.place / source).glob("*.csv")))
        file = write_lines(self.place / source / f"{number:03d}.csv", lines)
        self.driver.absorb(source, [source_file(file)])

    def idle(self, source: str) -> None:
        self.driver.note(source, idle=True)

    def end(self, source: str) -> None:
        self.driver.note(source, ended=True)

    def name_shops(self, names: Mapping[int, str]) -> None:
        self.versions += 1
        lines = (f"{shop},{name}" for shop, name in names.items())
        write_lines(self.place / "names" / "names.csv", lines, self.versions * 10**9)

    def pass_time(self) -> None:
        self.driver.pass_time()

    def pay(self) -> None:
        publish_owed(self.spark, self.home, self.plan, self.away.owing)

    @property
    def entries(self) -> list[Entry]:
        return list(self.home.log().audit())

    def content(self, published: Published) -> list[Any] | None:
        file = self.place / "result" / published.target
        if not file.is_file():
            return None
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        if not self.kind.changes:
            return [self._row(line) for line in lines]
        sides = [(sign, line[side]) for line in lines for sign, side in (("-", "before"), ("+", "after"))]
        return [(sign, self._row(line)) for sign, line in sides if line is not None]

    def _row(self, line: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(_read(line.get(name), name in self.kind.times) for name in self.kind.names)


def _read(value: Any, is_time: bool) -> Any:
    return (datetime.fromisoformat(value) - EPOCH) // timedelta(milliseconds=1) if is_time else value


def _text(minute: float) -> str:
    return clock(TEN + int(minute * MINUTE))
