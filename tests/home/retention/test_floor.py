"""Entries below the floor are gone, and everything goes on as if they were there."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import FencedError, HomeError, RetainedError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log import log as logs
from airflow_nrt.home.log.entries import Commit, Position, Restate, Tick
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint, read_by, state_of, write_checkpoints
from airflow_nrt.home.log.fold.inputs import inputs_of
from airflow_nrt.home.log.fold.inputs_file import write_inputs
from airflow_nrt.home.log.fold.settled import note_settled, settled_until
from airflow_nrt.home.log.home_state import HomeState
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.store.posix import PosixStore
from airflow_nrt.home.store.store_path import StorePath
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes

__all__ = ["short_volumes"]


def check_against_all(long: LongHome) -> None:
    """What an opened log says is what all entries say that were ever written."""
    log, state = Home(long.home.path).log(), HomeState()
    for entry in long.all:
        state = state.apply(entry)
    read, all_read = read_by(log), inputs_of(long.all)
    assert state_of(log) == state and log.last == state.entry
    assert (log.position(), log.epoch(), log.last_clock()) == (state.position, state.epoch, state.clock)
    assert read.of("orders") == all_read.of("orders")
    assert list(log.audit()) == long.all[log.first :]
    assert settled_until(log) <= log.last
    standing = {one.body.ledger for one in long.all[log.first :] if isinstance(one.body, Commit) and one.body.ledger}
    assert long.ledgers() == {Path(one).name for one in standing}


@pytest.mark.parametrize("seed", range(6))
def test_it_goes_on_whenever_entries_go(tmp_path: Path, seed: int) -> None:
    long, chance = LongHome(tmp_path, seed), random.Random(seed)
    for _ in range(12):
        long.grow(chance.randint(1, 2 * VOLUME))
        if chance.random() < 0.3:
            long.begin()
        if chance.random() < 0.3:
            long.restate(Restate((), (), "backfill", {}, long.home.log().last))
        if chance.random() < 0.5:
            long.retain()
        check_against_all(long)
    log = long.retain()
    assert log.first > 3 * VOLUME
    assert check_checkpoint(log) is not None
    # The newest ranges stay, so that a reader which follows meets no floor.
    assert log.last - log.first >= VOLUME - 1
    check_against_all(long)


def long_home(tmp_path: Path) -> LongHome:
    long = LongHome(tmp_path)
    long.grow(5 * VOLUME)
    return long


# ------------------------------------------------------------------------------------ writers that slept


def sleeping(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> None:
    """The next put of an entry waits until something else has happened."""
    put = logs._put

    def slow(path: StorePath, content: bytes) -> bool:
        monkeypatch.setattr(logs, "_put", put)
        meanwhile()
        return put(path, content)

    monkeypatch.setattr(logs, "_put", slow)


def test_a_driver_that_slept_across_the_floor_is_fenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = LongHome(tmp_path)
    long.grow(3)
    old = long.writer

    def meanwhile() -> None:
        long.begin()
        long.grow(5 * VOLUME)
        assert long.retain().first > 4

    sleeping(monkeypatch, meanwhile)
    with pytest.raises(FencedError, match=r"a newer driver \(epoch 2\) has taken over"):
        old.append(Tick((), 0, Position()))
    assert "4.json" not in long.names()
    with pytest.raises(FencedError):
        old.append(Tick((), 0, Position()))
    check_against_all(long)


def test_a_driver_that_slept_between_its_put_and_its_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file stands for a moment where an entry is removed: nobody reads it."""
    long = LongHome(tmp_path)
    long.grow(3)
    old = Log(long.home.log_directory)
    long.begin()
    reader = Log(long.home.log_directory)
    long.grow(5 * VOLUME)
    first = long.retain().first
    put = logs._put
    seen: list[str] = []

    def watched(path: StorePath, content: bytes) -> bool:
        done = put(path, content)
        for one in (reader, Log(long.home.log_directory)):
            with pytest.raises(RetainedError) as gone:
                one.read(4)
            seen.append(str(gone.value))
        return done

    monkeypatch.setattr(logs, "_put", watched)
    with pytest.raises(RetainedError, match=rf"log entry 4 of .*/home is removed: .* from entry {first} on, after 20"):
        old.append(Restate((), (), "backfill", {}, 3), None)
    assert len(seen) == 2 and "4.json" not in long.names()


def test_a_driver_alone_goes_on_where_others_were_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restatements alone have passed it: it still holds the lease."""
    long = LongHome(tmp_path)
    long.grow(3)

    def meanwhile() -> None:
        for _ in range(5 * VOLUME):
            long.restate(Restate((), (), "backfill", {}, 3))
        log = Log(long.home.log_directory)
        log.bind()
        write_checkpoints(log)
        note_settled(log)
        assert long.retain().first > 4

    sleeping(monkeypatch, meanwhile)
    entry = long.writer.append(Tick((), 0, Position()))
    assert entry.n == 5 * VOLUME + 4 and Log(long.home.log_directory).read(entry.n) == entry


# ------------------------------------------------------------------------------------ readers


def test_a_reader_with_an_old_view_is_told(tmp_path: Path) -> None:
    long = long_home(tmp_path)
    reader = Log(long.home.log_directory)
    assert reader.read(3).n == 3 and reader.first == 0
    reader = Log(long.home.log_directory)
    first = long.retain().first
    with pytest.raises(
        RetainedError, match=rf"log entry 3 .* is removed: the home keeps its history from entry {first}"
    ):
        reader.read(3)
    with pytest.raises(RetainedError):
        Log(long.home.log_directory).position(first - 2)
    assert reader.first == first and next(reader.audit()).n == first


def test_a_reader_that_slept_across_the_floor_finds_the_end(tmp_path: Path) -> None:
    long = LongHome(tmp_path)
    reader = Log(long.home.log_directory)
    long.grow(5 * VOLUME)
    long.retain()
    assert reader.refresh() == long.log.last


# ------------------------------------------------------------------------------------ what is left below


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b'{"format": 2}', None], ids=repr)
def test_a_home_without_its_beginning_is_refused(tmp_path: Path, content: bytes | None) -> None:
    long = long_home(tmp_path)
    log = long.retain()
    (path,) = (long.home.path / "checkpoints").glob(f"floor-{log.first - 1}.json")
    kept = path.read_bytes()
    path.unlink() if content is None else path.write_bytes(content)
    for read in (state_of, read_by):
        with pytest.raises(HomeError, match=rf"floor-{log.first - 1}\.json can't be read.*from a copy of the home"):
            read(Log(log.directory))
    path.write_bytes(kept)
    check_against_all(long)


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": 2}'])
def test_a_floor_that_can_t_be_read_is_none_to_pass_over(tmp_path: Path, content: bytes) -> None:
    long = long_home(tmp_path)
    log = long.retain()
    (log.directory / "floor.json").replace(content)
    with pytest.raises(HomeError, match=r"the floor of the log .*floor\.json"):
        Log(log.directory)


def test_inputs_below_the_floor_are_no_cache(tmp_path: Path) -> None:
    long = long_home(tmp_path)
    long.retain()
    (long.home.path / "checkpoints" / f"0-{VOLUME - 1}.json.gz").write_bytes(b"")
    with pytest.raises(HomeError, match=r"put the file back from a copy of the home"):
        read_by(long.home.log())


def test_a_floor_of_another_log(tmp_path: Path) -> None:
    """As after a part of the home was put back from a copy."""
    one, other = long_home(tmp_path / "a"), long_home(tmp_path / "b")
    log = one.retain()
    other.retain()
    for name in (f"log/{'floor.json'}", f"checkpoints/floor-{log.first - 1}.json"):
        (other.home.path / name).write_bytes((one.home.path / name).read_bytes())
    with pytest.raises(HomeError, match=r"floor\.json, is of another log: put the home back from one copy"):
        state_of(other.home.log())


def test_newer_checkpoints_may_go(tmp_path: Path) -> None:
    """They are a cache as before; the one at the floor is not."""
    long = long_home(tmp_path)
    log = long.retain()
    for path in (long.home.path / "checkpoints").glob("[0-9]*.json"):
        path.unlink()
    check_against_all(long)
    long.keep_up()
    assert check_checkpoint(Log(log.directory)) == 5 * VOLUME - 1


def test_entries_that_disagree_with_their_checkpoint_stay(tmp_path: Path) -> None:
    long = long_home(tmp_path)
    checkpoints = long.home.path / "checkpoints"
    name = f"0-{VOLUME - 1}.json.gz"
    size, crc = write_inputs(StorePath(long.home.root.store, f"checkpoints/{name}"), inputs_of([]))
    for path in checkpoints.glob("[0-9]*.json"):
        content = json.loads(path.read_text())
        content["inputs"][0] |= {"size": size, "crc": crc}
        path.write_text(json.dumps(content))
    with pytest.raises(HomeError, match=rf"{name} says something else than the log"):
        long.retain()
    assert "floor.json" not in long.names() and list(long.home.log().audit()) == long.all


def test_without_checkpoints_nothing_goes(tmp_path: Path) -> None:
    long = long_home(tmp_path)
    for path in (long.home.path / "checkpoints").iterdir():
        path.unlink()
    assert long.retain().floor is None and list(long.home.log().audit()) == long.all


# ------------------------------------------------------------------------------------ killed anywhere


class Killed(BaseException):
    """The process is gone."""


_STEPS = ("put_if_absent", "replace", "replace_if_unchanged", "delete", "delete_all")


def killing(patched: pytest.MonkeyPatch, step: int) -> Callable[[], int]:
    """Dies before the step of this number, counted from 0, and gives how many there were."""
    done = 0

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def maybe(*given: Any, **more: Any) -> Any:
            nonlocal done
            done += 1
            if done == step + 1:
                raise Killed
            return act(*given, **more)

        return maybe

    for name in _STEPS:
        patched.setattr(PosixStore, name, counted(getattr(PosixStore, name)))
    return lambda: done


def test_killed_between_any_two_steps(tmp_path: Path) -> None:
    """A driver binds, writes checkpoints, notes what is settled, and removes; another goes on where it died."""
    step, steps = 0, 1
    while step < steps:
        long = LongHome(tmp_path / str(step))
        for _ in range(4 * VOLUME + 8):
            long.append(next(long._bodies(long.log.last + 1)))
        with pytest.MonkeyPatch.context() as patched:
            count = killing(patched, step)
            try:
                long.keep_up()
                long.retain()
            except Killed:
                pass
            steps = max(steps, count() + (1 if count() > step else 0))
        log, state = long.home.log(), HomeState()
        for entry in long.all:
            state = state.apply(entry)
        assert state_of(log) == state and list(log.audit()) == long.all[log.first :], step
        assert read_by(log).of("orders") == inputs_of(long.all).of("orders")
        long.begin()
        long.grow(VOLUME)
        long.retain()
        assert check_checkpoint(long.home.log()) is not None
        check_against_all(long)
        numbers = {int(name.partition("-")[0].partition(".")[0]) for name in long.names() if name[0].isdecimal()}
        assert min(numbers) == long.home.log().first > VOLUME, step
        step += 1
    assert steps > 40
