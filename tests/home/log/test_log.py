"""The log: an entry appears whole, once, behind all others; only the newest driver may append."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError, HomeError
from airflow_nrt.files.durable import put_if_absent, replace_file
from airflow_nrt.home.log.entries import Lease, Position, Restate, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.log import EntryTaken, Log
from tests.home.logs import log_at

LEASE = Lease("host", 1, "application")
RESTATE = Restate((), (), "repair", {}, 0)


def tick(windows: int) -> Tick:
    return Tick((), 0, Position(windows=windows))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "log"
    path.mkdir(parents=True)
    return path


def test_one_numbered_sequence(directory: Path) -> None:
    log = log_at(directory)
    assert (log.last, log.epoch(), log.position()) == (-1, 0, Position())
    numbers = [log.append(body, 1).n for body in (LEASE, tick(1), tick(2))]
    assert numbers == [0, 1, 2]
    assert sorted(file.name for file in directory.iterdir()) == ["0.json", "1.json", "2.json"]
    assert [entry.kind for entry in log_at(directory).audit()] == ["lease", "tick", "tick"]
    assert [entry.n for entry in log.backwards()] == [2, 1, 0]


def test_a_position_as_of_an_entry(directory: Path) -> None:
    log = log_at(directory)
    for body in (LEASE, tick(1), RESTATE, tick(2)):
        log.append(body, 1)
    assert [log.position(n).windows for n in range(4)] == [0, 1, 1, 2]


def test_who_meets_a_foreign_entry_learns_of_it(directory: Path) -> None:
    ours, theirs = log_at(directory), log_at(directory)
    theirs.append(tick(1), 1)
    with pytest.raises(EntryTaken) as taken:
        ours.append(tick(2), 1)
    assert taken.value.entry == theirs.read(0)
    assert ours.append(tick(2), 1).n == 1


def test_threads_share_the_numbers(directory: Path) -> None:
    def append() -> None:
        log, written = log_at(directory), 0
        while written < 20:
            try:
                log.append(tick(0), 1)
                written += 1
            except EntryTaken:
                continue

    threads = [threading.Thread(target=append) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = log_at(directory)
    assert log.last == 79
    assert len({entry.id for entry in log.audit()}) == 80


def _begin(directory: str, start, epochs) -> None:
    start.wait()
    epochs.put(Writer.begin(log_at(Path(directory)), LEASE).epoch)


@pytest.mark.process
def test_drivers_that_begin_at_once_get_epochs_of_their_own(directory: Path) -> None:
    context = multiprocessing.get_context("fork")
    start, epochs = context.Event(), context.Queue()
    drivers = [context.Process(target=_begin, args=(str(directory), start, epochs)) for _ in range(4)]
    for driver in drivers:
        driver.start()
    start.set()
    assert sorted(epochs.get(timeout=30) for _ in drivers) == [1, 2, 3, 4]
    for driver in drivers:
        driver.join()


def test_an_older_driver_can_append_nothing(directory: Path) -> None:
    old = Writer.begin(log_at(directory), LEASE)
    old.append(tick(1))
    new = Writer.begin(log_at(directory), LEASE)
    assert (old.epoch, new.epoch) == (1, 2)
    with pytest.raises(FencedError, match=r"a newer driver \(epoch 2\) has taken over this home at log entry 2"):
        old.append(tick(2))
    assert new.append(tick(2)).n == 3
    with pytest.raises(FencedError):
        old.append(tick(3))
    assert [entry.epoch for entry in log_at(directory).audit()] == [1, 1, 2, 2]


def test_an_older_driver_finds_out_between_batches(directory: Path) -> None:
    old = Writer.begin(log_at(directory), LEASE)
    old.check()
    Writer.begin(log_at(directory), LEASE)
    with pytest.raises(FencedError):
        old.check()


def test_a_restatement_does_not_stop_the_driver(directory: Path) -> None:
    driver = Writer.begin(log_at(directory), LEASE)
    log_at(directory).append(RESTATE, None)
    assert driver.append(tick(1)).n == 2
    log_at(directory).append(RESTATE, None)
    driver.check()
    assert [entry.n for entry in driver.foreign_entries] == [1, 3]


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"n": 1, "kind": "tick"', b"[]", b"\xff\xfe", b'{"n": 1, "kind": "?"}']
)
def test_an_unreadable_entry_is_an_error_and_stays(directory: Path, content: bytes) -> None:
    log = log_at(directory)
    log.append(LEASE, 1)
    (directory / "1.json").write_bytes(content)
    for attempt in (
        lambda: list(log_at(directory).audit()),
        lambda: log_at(directory).position(),
        lambda: Writer.begin(log_at(directory), LEASE),
        lambda: Writer(log, 1).append(tick(1)),
    ):
        with pytest.raises(HomeError, match="not readable"):
            attempt()
    assert (directory / "1.json").read_bytes() == content
    assert not (directory / "2.json").exists()


def test_a_missing_entry_is_an_error(directory: Path) -> None:
    log = log_at(directory)
    for body in (LEASE, tick(1), tick(2)):
        log.append(body, 1)
    (directory / "1.json").unlink()
    with pytest.raises(HomeError, match=r"log entry 1 of .*home is missing"):
        list(log_at(directory).audit())


def test_an_entry_in_the_place_of_another_is_an_error(directory: Path) -> None:
    log_at(directory).append(LEASE, 1)
    (directory / "1.json").write_bytes((directory / "0.json").read_bytes())
    with pytest.raises(HomeError, match="it calls itself 0"):
        list(log_at(directory).audit())


def test_files_that_are_no_entries_are_passed_over(directory: Path) -> None:
    (directory / ".0.json.abc").write_text("half")
    (directory / "notes.json").write_text("{}")
    assert log_at(directory).last == -1


def test_put_if_absent_has_one_winner(tmp_path: Path) -> None:
    path, outcomes = tmp_path / "x", []
    threads = [
        threading.Thread(target=lambda i=i: outcomes.append((put_if_absent(path, b"%d" % i * 1000), i)))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [i for won, i in outcomes if won]
    assert len(winners) == 1
    assert path.read_bytes() == b"%d" % winners[0] * 1000
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_replace_leaves_one_whole_file(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        replace_file(tmp_path / "x", content)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"second"]


def test_a_fenced_driver_stays_fenced(directory: Path) -> None:
    """Having met the newer lease, its log counts it: the next append would land behind, and fence the newer driver."""
    old = Writer.begin(log_at(directory), LEASE)
    new = Writer.begin(log_at(directory), LEASE)
    for again in (lambda: old.append(tick(1)), lambda: old.append(tick(1)), old.check):
        with pytest.raises(FencedError):
            again()
    assert new.append(tick(2)).n == 2


def test_a_newer_driver_whose_lease_could_not_be_read_at_first_fences_all_the_same(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Writer.begin(log_at(directory), LEASE)
    Writer.begin(log_at(directory), LEASE)
    with monkeypatch.context() as failing:
        failing.setattr(
            Log, "content", lambda self, n: (_ for _ in ()).throw(HomeError(f"log entry {n}: a disk error"))
        )
        with pytest.raises(HomeError, match="a disk error"):
            old.check()
    with pytest.raises(FencedError):
        old.append(tick(1))
