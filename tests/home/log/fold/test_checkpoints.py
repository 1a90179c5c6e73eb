"""A checkpoint says what the entries before it say, or is passed over."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.log.entries import (
    ARCHIVED,
    COMPACTED,
    Body,
    Commit,
    Lease,
    OperatorState,
    Position,
    Published,
    Restate,
    SourceState,
    Tick,
)
from airflow_nrt.home.log.fold import checkpoints
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint, read_by, state_of, write_checkpoints
from airflow_nrt.home.log.fold.inputs import Inputs, inputs_of
from airflow_nrt.home.log.fold.noted_state import note_state
from airflow_nrt.home.log.home_state import HomeState
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.splits import ArchivedElsewhere, SourceFile, SourceRange, TableVersion
from airflow_nrt.home.store.store_path import StorePath
from tests.home.logs import log_at

DISTANCE = 8
LEASE = Lease("host", 1, "application")
ARCHIVE = ArchivedElsewhere("home", "id", "orders", 50)


@pytest.fixture(autouse=True)
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "DISTANCE", DISTANCE)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    directory = tmp_path / "home" / "log"
    directory.mkdir(parents=True)
    return log_at(directory)


def position(n: int) -> Position:
    return Position({"orders": SourceState(n, files=n)}, {"w1": OperatorState(n, fired=n)}, windows=n)


def commit(n: int, *splits: SourceFile | SourceRange, dimension: str | None = None) -> Commit:
    files = tuple(one for one in splits if isinstance(one, SourceFile))
    ranges = tuple(one for one in splits if isinstance(one, SourceRange))
    named = {} if dimension is None else {"shops": dimension}
    source = "orders" if files else "topic"
    return Commit(source, files, n, n, {}, {}, (), None, (), position(n), ranges=ranges, dimensions=named)


def bodies(seed: int, count: int) -> Iterator[Body]:
    chance = random.Random(seed)
    ends = {"t-0": 0, "t-1": 0}
    yield LEASE
    yield commit(0, *(SourceRange(part, 0, 0, 0, topic_id="x", archive=ARCHIVE) for part in ends))
    for n in range(2, count):
        kind = chance.randrange(6)
        if kind == 0:
            version = TableVersion(n, 2) if chance.random() < 0.5 else None
            yield commit(n, SourceFile(f"/d/ß {n}", n, n, chance.random() < 0.2, version), dimension=f"v{n // 5}")
        elif kind == 1:
            part = chance.choice(sorted(ends))
            begin, ends[part] = ends[part], ends[part] + chance.randint(1, 9)
            known = ARCHIVE if ends[part] < 30 else None
            yield commit(n, SourceRange(part, begin, ends[part], 1, archive=known))
        elif kind == 2:
            yield Restate((), (), "repair", {"w1": chance.randrange(count)}, n - 1, dimensions={"shops": "w"})
        elif kind == 3:
            yield Tick((), n, position(n))
        elif kind == 4:
            new, old = f"hh={n % 3}/{n}", tuple(f"kept/hh={n % 3}/{one}" for one in range(n % 3, n, 3))
            merges = n % 2 == 0
            file = Published("kept", None, None, COMPACTED if merges else ARCHIVED, n, "", "", new)
            yield Tick((file,), n, position(n), old if merges else ())
        else:
            yield LEASE


def append(log: Log, body: Body, epoch: int = 1) -> None:
    log.append(body, None if isinstance(body, Restate) else epoch)


def folded(log: Log) -> HomeState:
    state = HomeState()
    for entry in log.audit():
        state = state.apply(entry)
    return state


def same_inputs(a: Inputs, b: Inputs) -> bool:
    """Ranges of different parts have no order."""
    by_part = [
        {name: sorted(one.ranges, key=lambda each: each.part) for name, one in found.sources.items()}
        for found in (a, b)
    ]
    files = [{name: one.files for name, one in found.sources.items()} for found in (a, b)]
    others = [(set(one.dimensions), one.archived) for one in (a, b)]
    return by_part[0] == by_part[1] and files[0] == files[1] and others[0] == others[1]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_read_with_it_is_what_all_entries_say(log: Log, seed: int) -> None:
    chance = random.Random(seed)
    for epoch, body in enumerate(bodies(seed, 70), 1):
        append(log, body, epoch)
        if chance.random() < 0.2:
            assert write_checkpoints(log) > log.last
        if chance.random() < 0.2:
            reader = Log(log.directory)
            assert state_of(reader) == folded(log)
            assert same_inputs(read_by(reader), inputs_of(log.audit()))
    write_checkpoints(log)
    assert check_checkpoint(log) == log.last - (log.last + 1) % DISTANCE


def test_of_ranges_what_a_later_driver_needs(log: Log) -> None:
    """The first of each part, where its archive and where its topic stand, and the id of the topic."""
    with_id = SourceRange("t-0", 30, 30, 0, topic_id="x")
    ranges = [
        SourceRange("t-0", 0, 0, 0, archive=ARCHIVE),
        *(SourceRange("t-0", n, n + 10, 1, archive=ARCHIVE) for n in range(0, 30, 10)),
        with_id,
        *(SourceRange("t-0", n, n + 1, 1) for n in range(30, 50)),
    ]
    for n, one in enumerate(ranges):
        append(log, commit(n, one))
    write_checkpoints(log)
    assert tuple(read_by(log).of("topic")) == (ranges[0], ranges[3], with_id, ranges[-1])


def test_entries_before_it_are_not_read(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    for body in bodies(1, 5 * DISTANCE):
        append(log, body)
    write_checkpoints(log)
    read: list[int] = []
    content = Log.content
    monkeypatch.setattr(Log, "content", lambda self, n: read.append(n) or content(self, n))
    state_of(log)
    read_by(log)
    assert set(read) == {5 * DISTANCE - 1}
    # Those that a reader may have found stay.
    assert sorted(path.name for path in place(log).glob("*.json")) == ["31.json", "39.json", "state.json"]


def test_names_are_read_where_a_directory_has_some(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(4 * DISTANCE):
        append(log, commit(n, SourceFile(f"/d/hh={n // 12}/{n}.csv", n, n)))
    write_checkpoints(log)
    files = read_by(log).of("orders").files
    opened: list[str] = []
    read = StorePath.read
    monkeypatch.setattr(StorePath, "read", lambda path, most: opened.append(path.name) or read(path, most))
    assert list(files.directories) == ["/d/hh=0/", "/d/hh=1/", "/d/hh=2/"] and opened == []
    assert list(files.names_in("/d/hh=1/")) == [f"{n}.csv" for n in range(12, 24)]
    assert opened == ["8-15.json.gz", "16-23.json.gz"]
    assert [file.path for file in files.last(2)] == ["/d/hh=2/30.csv", "/d/hh=2/31.csv"]
    (place(log) / "8-15.json.gz").write_bytes(b"")
    with pytest.raises(HomeError, match=r"8-15\.json\.gz can't be read"):
        list(files.names_in("/d/hh=0/"))


def test_one_with_names_that_are_not_whole_is_passed_over(log: Log, caplog: pytest.LogCaptureFixture) -> None:
    for n in range(DISTANCE):
        append(log, commit(n, SourceFile(f"/d/{n}.csv", n, n)))
    write_checkpoints(log)
    path = place(log) / "0-7.json.gz"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert same_inputs(read_by(log), inputs_of(log.audit()))
    assert "0-7.json.gz can't be read: it is not what was written there" in caplog.text


def test_what_closed_and_what_a_lease_opened(log: Log) -> None:
    closed = [{"orders": ("/d/1", "/d/2")}, {"orders": ("/d/3",)}, {}, {"orders": ("/d/1",)}]
    opened = [{}, {"orders": ("/d/1",)}, {"orders": ("/d/1", "/d/3")}, {}]
    for some, others in zip(closed, opened):
        for n in range(DISTANCE - 2):
            append(log, commit(n, SourceFile(f"/d/1/{log.last}.csv", n, n)))
        append(log, Lease("host", 1, "application", reopened=others))
        append(log, Tick((), 1, position(1), closed=some))
    time = log.read(3 * DISTANCE - 2).time
    for _ in range(2):
        read = read_by(log).of("orders")
        assert set(read.closed) == {"/d/1", "/d/2"} and read.reopened == {"/d/3": time}
        write_checkpoints(log)
    check_checkpoint(log)


def place(log: Log) -> Path:
    return (log.directory.parent / "checkpoints").local


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 2}', b'{"state": {}, "inputs": [], "more": 1}'])
@pytest.mark.parametrize("name", ["15.json", "8-15.json.gz"])
def test_an_unreadable_one_is_passed_over(
    log: Log, name: str, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for body in bodies(2, 2 * DISTANCE + 3):
        append(log, body)
    write_checkpoints(log)
    (place(log) / name).write_bytes(content)
    assert state_of(log) == folded(log)
    assert same_inputs(read_by(log), inputs_of(log.audit()))
    assert name in caplog.text
    write_checkpoints(log)
    assert check_checkpoint(log) == 15, "the next driver writes it again"


def test_one_of_another_log_is_passed_over(log: Log, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As after a home was put back from a copy, and has gone on."""
    for body in bodies(3, DISTANCE):
        append(log, body)
    write_checkpoints(log)
    (tmp_path / "copy" / "log").mkdir(parents=True)
    copy = log_at(tmp_path / "copy" / "log")
    place(log).rename(place(copy))
    append(copy, LEASE)
    assert state_of(copy) == folded(copy)
    for _ in range(2 * DISTANCE):
        append(copy, LEASE)
    assert state_of(copy) == folded(copy) and "of another log" in caplog.text
    write_checkpoints(copy)
    assert check_checkpoint(copy) == 2 * DISTANCE - 1


def test_a_look_reads_the_entries_after_the_noted_state(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(3 * DISTANCE - 1):
        log.append(commit(n, SourceFile(f"{n}.csv", n, n)), 1)
    assert write_checkpoints(log) == 3 * DISTANCE - 1
    for n in range(3):
        log.append(commit(100 + n, SourceFile(f"{100 + n}.csv", n, n)), 1)
    fresh, read, asked = fold_of(log), log.read, list[int]()
    monkeypatch.setattr(log, "read", lambda n: asked.append(n) or read(n))
    assert state_of(log) == fresh
    assert min(asked) == log.last - 3
    assert check_checkpoint(log) == 2 * DISTANCE - 1


@pytest.mark.parametrize("damage", [lambda content: b"{", lambda content: content.replace(b'"clock":', b'"clack":')])
def test_an_unreadable_noted_state_is_passed_over(
    log: Log, caplog: pytest.LogCaptureFixture, damage: Callable[[bytes], bytes]
) -> None:
    for n in range(DISTANCE):
        log.append(commit(n, SourceFile(f"{n}.csv", n, n)), 1)
    write_checkpoints(log)
    path = log.directory.parent / "checkpoints" / "state.json"
    path.replace(damage(path.read()))
    assert state_of(log) == fold_of(log)
    assert "the noted state is passed over" in caplog.text


def test_a_noted_state_of_another_log_or_that_disagrees(log: Log) -> None:
    for n in range(DISTANCE):
        log.append(commit(n, SourceFile(f"{n}.csv", n, n)), 1)
    fresh = fold_of(log)
    note_state(log, replace(fresh, id="of another log"))
    assert state_of(log) == fresh
    note_state(log, replace(fresh, restatements=7))
    with pytest.raises(HomeError, match=r"state\.json says something else than the log"):
        check_checkpoint(log)


def fold_of(log: Log) -> HomeState:
    state = HomeState()
    for entry in log.audit():
        state = state.apply(entry)
    return state


def test_one_that_disagrees_is_found(log: Log) -> None:
    for body in bodies(4, DISTANCE):
        append(log, body)
    write_checkpoints(log)
    path = place(log) / "7.json"
    content = json.loads(path.read_text())
    content["state"]["restatements"] += 1
    path.write_text(json.dumps(content))
    with pytest.raises(HomeError, match=r"7\.json says something else than the log: take it away"):
        check_checkpoint(log)
