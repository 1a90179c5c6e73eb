"""Drivers that overlap on a store whose answers get lost: no entry counts twice, and none that was answered is lost."""

from __future__ import annotations

import random
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError, HomeError
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log import chapters, fenced_writer, log, volumes
from airflow_nrt.home.log.entries import Lease, Position, SourceState, Tick
from airflow_nrt.home.log.fenced_writer import LateEntryError, Writer
from airflow_nrt.home.log.fold import checkpoints, settled
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint, state_of, write_checkpoints
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.home.log.log import EntryTaken, Log
from airflow_nrt.home.retention import removal
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.home.store.faulty import Fault, FaultyStore
from airflow_nrt.home.store.memory import MemoryStore
from airflow_nrt.home.store.store_path import StorePath

LEASE = Lease("host", 1, "application")
CHAPTER = 16
CHANGES = ("put_if_absent", "replace", "replace_if_unchanged", "delete", "delete_all")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each checkpoint that can't be read is a warning.
    monkeypatch.setattr(checkpoints.logger, "disabled", True)
    monkeypatch.setattr(settled.logger, "disabled", True)
    for module in (chapters, volumes, fenced_writer):
        monkeypatch.setattr(module, "CHAPTER", CHAPTER)
    monkeypatch.setattr(chapters, "KEPT", CHAPTER)
    for module in (volumes, removal):
        monkeypatch.setattr(module, "VOLUME", 4 * CHAPTER)
    monkeypatch.setattr(checkpoints, "DISTANCE", 4 * CHAPTER)
    monkeypatch.setattr(log, "_PAUSES", (0.0, 0.0))


def log_in(store: object) -> Log:
    return Log(StorePath(store, "log"))  # type: ignore[arg-type]


def faults(chance: random.Random, share: float, lock: threading.Lock) -> object:
    def fault(operation: str, key: str) -> Fault | None:
        with lock:
            if chance.random() >= share:
                return None
            kinds = [Fault.BEFORE, Fault.AFTER, Fault.LATE] if operation in CHANGES else [Fault.BEFORE]
            return Fault.TORN if operation == "names" else chance.choice(kinds)

    return fault


class Driver(threading.Thread):
    """Counts in the log, as a driver counts batches: each entry follows from the one before."""

    def __init__(self, store: FaultyStore, counts: int) -> None:
        super().__init__(daemon=True)
        self.answered: dict[int, str] = {}
        self.failure: BaseException | None = None
        self._store = store
        self._counts = counts

    def run(self) -> None:
        try:
            self._drive()
        except (FencedError, OSError, HomeError):
            # A driver that can't begin or go on ends; its successor begins.
            pass
        except BaseException as failure:
            self.failure = failure

    def _drive(self) -> None:
        home = Home(Path("home"), store=self._store)
        retention = Retention(home, Keep(0, 1000))
        writer = Writer.begin(Log(home.log_directory), LEASE)
        tries = 50
        while tries:
            try:
                writer.check()
                count = state_of(writer.log).position.windows
                while count < self._counts:
                    count += 1
                    read = {"orders": SourceState(files=count)}
                    entry = writer.append(Tick((), 0, Position(read, windows=count)))
                    self.answered[entry.n] = entry.id
                    with suppress(OSError, HomeError):
                        write_checkpoints(writer.log)
                        note_settled(writer.log)
                        retention.step(writer.log)
                return
            except (LateEntryError, OSError, HomeError):
                tries -= 1


@pytest.mark.parametrize(("seed", "share"), [(1, 0.01), (2, 0.02), (3, 0.03), (4, 0.05)])
def test_drivers_that_overlap(seed: int, share: float) -> None:
    chance = random.Random(seed)
    inner = MemoryStore()
    store = FaultyStore(inner, faults(chance, share, threading.Lock()))  # type: ignore[arg-type]
    drivers: list[Driver] = []
    for _ in range(125):
        drivers.append(Driver(store, 10**9))
        drivers[-1].start()
        threading.Event().wait(0.01)
        if chance.random() < 0.5:
            store.release()
    for _ in range(20):
        # A driver that was slow to begin may have fenced the last one: another one fences it.
        last = Driver(FaultyStore(inner, lambda operation, key: None), 300)
        last.start()
        for one in (last, *drivers):
            one.join(3)
        if not any(one.is_alive() for one in (last, *drivers)):
            break
    store.release()
    assert not any(one.is_alive() for one in drivers) and all(one.failure is None for one in drivers)
    standing = log_in(inner)
    entries = list(standing.audit())
    counts = [entry.position.windows for entry in entries if entry.position is not None]
    before = standing.beginning().state.position.windows
    assert counts == list(range(before + 1, before + len(counts) + 1)), "each once, in order"
    ids = {entry.n: entry.id for entry in entries}
    for one in drivers:
        above = {n: answered for n, answered in one.answered.items() if n >= standing.first}
        assert above.items() <= ids.items(), "what was answered stands"
    assert len(set().union(*(one.answered for one in drivers))) == sum(len(one.answered) for one in drivers)
    epochs = [entry.epoch for entry in entries]
    assert epochs == sorted(epochs, key=int)  # type: ignore[arg-type]
    assert before + len(counts) >= 300 and standing.first
    check_checkpoint(log_in(inner))


def late(store: MemoryStore) -> FaultyStore:
    """Entries have their effect late, and no attempt has an answer."""
    return FaultyStore(store, lambda operation, key: Fault.LATE if operation == "put_if_absent" else None)


def test_an_entry_that_comes_when_its_driver_has_gone_on() -> None:
    store = MemoryStore()
    writer = Writer.begin(log_in(store), LEASE)
    slow = late(store)
    before, writer.log.directory = writer.log.directory, StorePath(slow, "log")
    with pytest.raises(TimeoutError):
        writer.append(Tick((), 0, Position(windows=1)))
    writer.log.directory = before
    slow.release()
    with pytest.raises(LateEntryError, match="log entry 1 stands"):
        writer.append(Tick((), 0, Position(windows=1)))
    assert writer.log.position().windows == 1
    assert writer.append(Tick((), 0, Position(windows=2))).n == 2


def test_an_entry_that_comes_after_that_of_a_successor() -> None:
    store = MemoryStore()
    old = Writer.begin(log_in(store), LEASE)
    slow = late(store)
    old.log.directory = StorePath(slow, "log")
    with pytest.raises(TimeoutError):
        old.append(Tick((), 0, Position(windows=1)))
    new = Writer.begin(log_in(store), LEASE)
    slow.release()
    new.append(Tick((), 0, Position(windows=1)))
    assert [entry.epoch for entry in log_in(store).audit()] == [1, 2, 2]
    old.log.directory = new.log.directory
    with pytest.raises(FencedError):
        old.append(Tick((), 0, Position(windows=1)))


def test_a_put_without_an_answer_is_ours_if_it_stands() -> None:
    store = MemoryStore()
    puts: list[str] = []

    def fault(operation: str, key: str) -> Fault | None:
        if operation != "put_if_absent":
            return None
        puts.append(key)
        return Fault.AFTER if len(puts) == 1 else None

    theirs = log_in(store)
    ours = Log(StorePath(FaultyStore(store, fault), "log"))
    entry = ours.append(LEASE, 1)
    assert puts == ["log/0.json"] * 2 and log_in(store).read(0) == entry
    with pytest.raises(EntryTaken):
        theirs.append(LEASE, 1)
