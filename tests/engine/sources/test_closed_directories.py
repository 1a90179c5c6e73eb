"""Directories that close: each file is read once, or is said to be unread, whatever drivers die in between."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE, SECOND
from airflow_nrt.engine.sources import arrivals
from airflow_nrt.engine.sources.filesystem import Files
from airflow_nrt.home.log.closed_directories import note_closed
from airflow_nrt.home.log.entries import Commit, Lease, Position, Tick
from airflow_nrt.home.log.fold import checkpoints
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint, read_by, write_checkpoints
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.fold.looks import looks_of, note_looks
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.splits import SourceFile, Split, files_of
from airflow_nrt.model.tables import Table
from tests.home.logs import log_at

BEGIN = 1_700_000_000_000_000_000
SOURCE = "orders"
Advance = Callable[[int], None]


@pytest.fixture
def advance(monkeypatch: pytest.MonkeyPatch) -> Advance:
    """Lets so many milliseconds pass."""
    now = [BEGIN]
    monkeypatch.setattr(time, "time_ns", lambda: now[0])
    monkeypatch.setattr(time, "time", lambda: now[0] / 1e9)

    def forward(ms: int) -> None:
        now[0] += ms * 1_000_000

    return forward


@pytest.fixture(autouse=True)
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "DISTANCE", 4)


class World:
    """A source directory and a log, and the driver that reads the one into the other."""

    def __init__(self, place: Path, advance: Advance, after: str | None = "1 h") -> None:
        self.root = place / "orders"
        self.root.mkdir()
        self.touch(self.root)
        (place / "home" / "log").mkdir(parents=True)
        self.log = log_at(place / "home" / "log")
        self.advance = advance
        self.after = after
        self.to_reopen: tuple[str, ...] = ()
        self.begin()

    @staticmethod
    def touch(path: Path) -> None:
        os.utime(path, ns=(time.time_ns(), time.time_ns()))

    def put(self, name: str) -> str:
        """A file, and the times that its directories would get now."""
        path = self.root / name
        for directory in reversed(path.relative_to(self.root).parents[:-1]):
            if not (self.root / directory).exists():
                (self.root / directory).mkdir()
                self.touch((self.root / directory).parent)
        path.write_text("x\n")
        self.touch(path)
        self.touch(path.parent)
        return str(path)

    def take(self, path: Path) -> None:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.touch(path.parent)

    def begin(self) -> None:
        """A driver begins, whatever became of the one before."""
        reopened = {SOURCE: self.to_reopen} if self.to_reopen else {}
        self.log = Log(self.log.directory)
        self.log.append(Lease("host", 1, "application", reopened=reopened), self.log.epoch() + 1)
        self.to_reopen = ()
        write_checkpoints(self.log)
        options = {"connector": "filesystem", "path": str(self.root), "format": "csv"}
        if self.after is not None:
            options["source.close-directories-after"] = self.after
        self.files = Files(Table(SOURCE, (), "filesystem", options=options), read_by(self.log).of(SOURCE))
        self.files.resume(looks_of(self.log).get(SOURCE, {}))
        self.pending: list[Split] = []

    def poll(self) -> None:
        self.pending += self.files.poll()

    def absorb(self, most: int = 1000) -> None:
        batch, self.pending = self.pending[:most], self.pending[most:]
        if batch:
            self.log.append(Commit(SOURCE, files_of(batch), 1, 1, {}, {}, (), None, (), Position()), self.log.epoch())
            self.files.absorbed(batch)

    def close(self) -> list[str]:
        directories = self.files.closable()
        if directories:
            self.log.append(Tick((), 1, Position(), closed={SOURCE: tuple(directories)}), self.log.epoch())
            self.files.closed(directories)
        return directories

    def note(self) -> None:
        note_looks(self.log, {SOURCE: self.files.looks()})

    def turn(self) -> None:
        self.poll()
        self.absorb()
        self.close()

    def read(self) -> list[str]:
        bodies = (entry.body for entry in self.log.audit())
        return [file.path for body in bodies if isinstance(body, Commit) for file in body.files]

    def closed(self) -> set[str]:
        found: dict[str, set[str]] = {}
        for entry in self.log.audit():
            note_closed(found, entry)
        return found.get(SOURCE, set())

    def there(self) -> set[str]:
        return {str(path) for path in self.root.rglob("*.csv")}


@pytest.mark.parametrize("seed", range(40))
def test_each_file_is_read_once_or_said_to_be_unread(tmp_path: Path, advance: Advance, seed: int) -> None:
    chance = random.Random(seed)
    world = World(tmp_path, advance, chance.choice(["1 h", "1 h", "2 d", None]))
    steps = [world.poll, world.poll, world.absorb, lambda: world.absorb(1), world.close, world.note, world.begin]
    for n in range(150):
        advance(chance.choice([0, 10, SECOND, 10 * SECOND, 6 * MINUTE, HOUR, 3 * HOUR, DAY]))
        kind = chance.random()
        if kind < 0.3:
            place = chance.choice(["", "a/", "b/", "b/c/", f"d{n // 30}/"])
            world.put(f"{place}{n}.csv")
        elif kind < 0.34:
            there = [path for path in world.root.rglob("*") if path.exists()]
            if there:
                world.take(chance.choice(there))
        elif kind < 0.4 and world.closed():
            world.to_reopen = (chance.choice(sorted(world.closed())),)
            world.begin()
        else:
            chance.choice(steps)()
        if chance.random() < 0.1:
            settled(world)
    settled(world)
    unread = world.there() - set(world.read())
    assert sum(one.files for one in world.files.unread.values()) == len(unread)
    world.to_reopen = tuple(world.closed())
    world.begin()
    settled(world)
    assert world.there() <= set(world.read()) and not world.files.unread


def settled(world: World) -> None:
    """What is there now is read, or lies in a closed directory and is counted; and nothing is read twice."""
    world.advance(HOUR)
    world.poll()
    world.absorb()
    read = Counter(world.read())
    assert not [path for path, times in read.items() if times > 1]
    left = world.there() - set(read)
    assert {os.path.dirname(path) for path in left} <= world.closed()
    by_directory = Counter(os.path.dirname(path) for path in left)
    assert {name: one.files for name, one in world.files.unread.items()} == by_directory
    assert set(read_by(world.log).of(SOURCE).closed) == world.closed()
    write_checkpoints(world.log)
    check_checkpoint(world.log)


def test_a_directory_closes_after_its_last_file(tmp_path: Path, advance: Advance) -> None:
    world = World(tmp_path, advance)
    world.put("ds=1/a.csv")
    world.turn()
    advance(59 * MINUTE)
    world.turn()
    assert not world.closed()
    advance(2 * MINUTE)
    world.turn()
    assert world.closed() == {str(world.root / "ds=1")}


def test_what_comes_into_it_is_told_and_not_read(
    tmp_path: Path, advance: Advance, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path, advance)
    world.put("ds=1/a.csv")
    world.turn()
    advance(2 * HOUR)
    world.turn()
    late, inside = world.put("ds=1/late.csv"), world.put("ds=1/hh=1/b.csv")
    advance(10 * MINUTE)
    world.turn()
    assert inside in world.read() and late not in world.read(), "a new directory in it is open"
    (found,) = world.files.unread.values()
    assert (found.files, found.size) == (1, 2)
    assert f"1 file in {world.root}/ds=1 came after the directory was closed, and is not read" in caplog.text
    world.begin()
    world.turn()
    assert late not in world.read() and world.files.unread
    world.to_reopen = (str(world.root / "ds=1"),)
    world.begin()
    world.turn()
    assert late in world.read() and not world.files.unread and not world.closed()


def test_what_a_driver_missed_is_read_before_it_closes(tmp_path: Path, advance: Advance) -> None:
    """No driver ran for longer than the time after which directories close."""
    world = World(tmp_path, advance)
    world.put("ds=1/a.csv")
    world.turn()
    world.note()
    advance(MINUTE)
    missed = world.put("ds=1/b.csv")
    advance(30 * DAY)
    world.begin()
    assert world.close() == []
    world.turn()
    assert missed in world.read() and not world.closed()


def test_the_directory_of_the_table_stays_open(tmp_path: Path, advance: Advance) -> None:
    world = World(tmp_path, advance)
    world.put("a.csv")
    world.turn()
    advance(30 * DAY)
    world.turn()
    assert not world.closed()


def test_one_with_a_file_that_waits_stays_open(tmp_path: Path, advance: Advance) -> None:
    world = World(tmp_path, advance)
    world.put("ds=1/a.csv")
    (world.root / "ds=1" / "b.csv").symlink_to(world.root / "nowhere")
    world.touch(world.root / "ds=1")
    world.turn()
    advance(30 * DAY)
    world.turn()
    assert not world.closed()


def test_a_driver_lists_nothing_that_another_saw(
    tmp_path: Path, advance: Advance, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, advance, after=None)
    for n in range(20):
        world.put(f"hh={n % 4}/{n}.csv")
    listed: list[str] = []
    real = arrivals.list_directory
    monkeypatch.setattr(arrivals, "list_directory", lambda one: listed.append(one) or real(one))
    advance(HOUR)
    world.turn()
    advance(HOUR)
    world.turn()
    assert len(listed) == 10, "twice, in case a clock is wrong"
    world.note()
    listed.clear()
    for _ in range(3):
        advance(HOUR)
        world.begin()
        world.turn()
    assert listed == []
    new = world.put("hh=3/new.csv")
    advance(MINUTE)
    world.begin()
    world.turn()
    assert listed == [f"{world.root}/hh=3"] and world.read()[-1] == new


def test_what_was_under_way_is_found_by_the_next_driver(tmp_path: Path, advance: Advance) -> None:
    world = World(tmp_path, advance)
    world.put("ds=1/a.csv")
    advance(MINUTE)
    world.poll()
    world.note()
    world.begin()
    world.turn()
    assert len(world.read()) == 1


def test_files_of_which_the_log_says_no_time(tmp_path: Path) -> None:
    """As a list of splits, which tests and other connectors pass on."""
    (tmp_path / "a.csv").write_text("x\n")
    table = Table(SOURCE, (), "filesystem", options={"connector": "filesystem", "path": str(tmp_path), "format": "csv"})
    (found,) = Files(table, read_by_nobody([])).poll()
    assert isinstance(found, SourceFile)
    assert Files(table, read_by_nobody([found])).poll() == []


def read_by_nobody(splits: list[Split]) -> SourceInputs:
    return SourceInputs.of(splits)
