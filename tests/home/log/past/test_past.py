"""The past of a log: what files beside the checkpoints say is what its entries say, or they are passed over."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.log.entries import (
    ARCHIVED,
    Body,
    Commit,
    Entry,
    Fill,
    Lateness,
    Lease,
    OperatorState,
    Position,
    Published,
    Restate,
    SourceState,
    Tick,
)
from airflow_nrt.home.log.fold import checkpoints
from airflow_nrt.home.log.fold.checkpoints import write_checkpoints
from airflow_nrt.home.log.history.lacking import lacking
from airflow_nrt.home.log.history.sink_history import changes, standing_at
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past import past
from airflow_nrt.home.log.past.past import (
    check_past,
    past_entries,
    past_results,
    rows_left_out,
    write_missing_past,
)
from airflow_nrt.home.log.past.past_entry import PastEntry, left_out_by
from airflow_nrt.home.log.splits import SourceFile
from tests.home.logs import log_at

DISTANCE = 8
LEASE = Lease("host", 1, "application")


@pytest.fixture(autouse=True)
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "DISTANCE", DISTANCE)
    monkeypatch.setattr(past, "DISTANCE", DISTANCE)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return new_log(tmp_path / "home")


def new_log(home: Path) -> Log:
    (home / "log").mkdir(parents=True)
    return log_at(home / "log")


def results(chance: random.Random, n: int) -> Iterator[Published]:
    for _ in range(chance.randrange(3)):
        end = chance.choice([None, chance.randrange(12) * 10])
        insert = chance.choice(["säles", "twin"])
        state = "passed" if end is None else chance.choice(["early", "complete", "changed", "last"])
        target = f"{n}-{end}.csv" if end is None or chance.random() < 0.3 else f"{end}.csv"
        start = None if end is None else end - 10
        yield Published(insert, start, end, state, n, f"{n:032x}", f"staged/1-{n}/f", target, state == "changed")
    if chance.random() < 0.1:
        yield Published("kept", None, None, ARCHIVED, n, "0", f"staged/1-{n}/a", f"hh={n}/a")


def bodies(seed: int, count: int) -> Iterator[Body]:
    chance, targets = random.Random(seed), list[str]()
    yield LEASE
    for n in range(1, count):
        some = tuple(results(chance, n))
        gone = tuple(chance.sample(targets, 1)) if targets and chance.random() < 0.2 else ()
        targets += [f"{one.insert}/{one.target}" for one in some]
        state = OperatorState(chance.choice([None, n]))
        position = Position({"orders": SourceState(n)}, {"w1": state, "w2": OperatorState(n + 1)})
        match chance.randrange(8):
            case 0:
                yield Tick(some, n, position, gone)
            case 1:
                yield Restate(some, gone, chance.choice(["repair", "backfill"]), {}, n - 1)
            case 2:
                yield Fill("twin", "säles", some, 0, (n % 12 * 10,), 1)
            case 3:
                yield LEASE
            case _:
                late = (Lateness("w1", 3, 1), Lateness("w2", 1, 0)) if chance.random() < 0.3 else ()
                rejected = {"malformed": n} if chance.random() < 0.3 else {}
                ledger = f"ledger/1-{n}" if late or rejected else None
                seen, files = {"w1": None, "w2": n if late else None}, (SourceFile(f"/d/{n}", n, n),)
                yield Commit("orders", files, n, n, seen, rejected, late, ledger, some, position, gone)


def grown(log: Log, seed: int, count: int) -> Log:
    for body in bodies(seed, count):
        log.append(body, None if isinstance(body, Restate) else 1)
    write_checkpoints(log)
    write_missing_past(log)
    return log


def shown(entry: Entry) -> PastEntry:
    return PastEntry.of(entry).of_windows()


def files(log: Log) -> list[Path]:
    return sorted((log.directory.parent / "checkpoints").local.glob("*.past.gz"))


def no_entries(log: Log, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Which entries are read from now on."""
    read, known = list[int](), Log.read

    def noting(self: Log, n: int) -> object:
        read.append(n)
        return known(self, n)

    monkeypatch.setattr(Log, "read", noting)
    return read


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_a_walk_over_all_entries_finds(log: Log, seed: int) -> None:
    grown(log, seed, 60 + seed)
    assert len(files(log)) == min((60 + seed) // DISTANCE, 8)
    walk = [*log.audit()]
    assert [*past_entries(log)] == [shown(one) for one in walk]
    assert [*past_entries(log, 21)] == [shown(one) for one in walk[21:]]
    assert [*changes(past_results(log))] == [*changes(walk)]
    assert lacking(past_results(log), {"twin": "säles"}) == lacking(walk, {"twin": "säles"})
    for at in (None, walk[0].time - 1, walk[30].time, walk[-1].time):
        assert standing_at(past_results(log), at) == standing_at(walk, at)
    commits = [(one.n, left_out_by(one.body)) for one in walk if isinstance(one.body, Commit)]
    assert [*rows_left_out(log)] == [(n, one) for n, one in commits if one is not None]
    check_past(log)


def test_only_entries_after_the_newest_checkpoint_are_read(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    read = no_entries(grown(log, 1, 61), monkeypatch)
    for found in (past_entries(log), past_results(log), rows_left_out(log)):
        read.clear()
        assert [*found]
        # The checkpoint names its last entry.
        assert set(read) == {55, *range(56, 61)}
    read.clear()
    assert [one.n for one in past_entries(log, 57)] == [57, 58, 59, 60] == read


def test_what_is_missing_or_damaged_is_read_from_entries_and_written_again(
    log: Log, caplog: pytest.LogCaptureFixture
) -> None:
    walk = [shown(one) for one in grown(log, 2, 60).audit()]
    written = {path: path.read_bytes() for path in files(log)}
    for path in (files(log)[0], files(log)[3]):
        for content in (b"", b"x", written[path][:-9], written[path][:40], None):
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
            with caplog.at_level(logging.WARNING):
                caplog.clear()
                assert [*past_entries(log)] == walk
            assert (path.name in caplog.text) == (content is not None)
            write_missing_past(log)
            assert path.read_bytes() == written[path]


def test_files_of_another_log_are_passed_over_and_written_again(tmp_path: Path) -> None:
    ours, other = grown(new_log(tmp_path / "a"), 3, 60), grown(new_log(tmp_path / "b"), 4, 60)
    for theirs, mine in zip(files(other), files(ours), strict=True):
        mine.write_bytes(theirs.read_bytes())
    walk = [shown(one) for one in ours.audit()]
    assert [*past_entries(ours)] == walk
    write_missing_past(ours)
    assert [*past_entries(ours)] == walk
    assert all(a.read_bytes() != b.read_bytes() for a, b in zip(files(ours), files(other), strict=True))


def test_a_home_of_an_earlier_version_gets_some_at_once_the_newest_first(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "_AT_ONCE", 2)
    walk = [shown(one) for one in grown(log, 5, 50).audit()]
    assert [path.name for path in files(log)] == ["39.past.gz", "47.past.gz"]
    assert [*past_entries(log)] == walk
    for count in (4, 6, 6):
        write_missing_past(log)
        assert len(files(log)) == count
        assert [*past_entries(log)] == walk


def test_a_check_finds_what_says_something_else(log: Log) -> None:
    grown(log, 6, 40)
    check_past(log)
    path = log.directory.parent / "checkpoints" / "15.past.gz"
    entries = [*log.entries(8, 15)]
    past.write_past(path, log.read(7).id, [entries[0], *entries[2:]])
    with pytest.raises(HomeError, match=r"15.past.gz says something else than the log: take it away"):
        check_past(log)


def test_a_disk_that_is_full_is_no_error(
    log: Log, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(past, "write_past", full)
    with caplog.at_level(logging.WARNING):
        grown(log, 7, 40)
    assert "no space left" in caplog.text
    assert len([*past_entries(log)]) == 40
