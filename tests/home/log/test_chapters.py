"""Old entries move into chapters: nobody sees a difference, and no writer finds an empty place among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError, HomeError
from airflow_nrt.home.log import chapters, fenced_writer
from airflow_nrt.home.log.entries import Lease, Position, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.store.store_path import StorePath
from tests.home.logs import log_at

LEASE = Lease("host", 1, "application")
CHAPTER = KEPT = 16


def tick(windows: int) -> Tick:
    return Tick((), 0, Position(windows=windows))


@pytest.fixture(autouse=True)
def short_chapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapters, "CHAPTER", CHAPTER)
    monkeypatch.setattr(chapters, "KEPT", KEPT)
    monkeypatch.setattr(fenced_writer, "CHAPTER", CHAPTER)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "log"
    path.mkdir(parents=True)
    return path


def grow(writer: Writer, until: int) -> None:
    while writer.log.last < until:
        writer.append(tick(writer.log.last + 1))


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_the_number_of_files_stays_small(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 20 * CHAPTER)
    assert len(names(directory)) <= CHAPTER + KEPT + 20
    assert {"0-15.jsonl", "16-31.jsonl", f"{20 * CHAPTER}.json"} <= names(directory)
    assert "15.json" not in names(directory)


def test_readers_see_every_entry_once_and_in_order(directory: Path) -> None:
    grow(Writer.begin(log_at(directory), LEASE), 4 * CHAPTER + 3)
    reader = log_at(directory)
    assert [entry.n for entry in reader.audit()] == list(range(4 * CHAPTER + 4))
    assert [entry.n for entry in reader.backwards()] == list(reversed(range(4 * CHAPTER + 4)))
    assert [reader.position(n).windows for n in (1, CHAPTER - 1, CHAPTER, 4 * CHAPTER)] == [1, 15, 16, 64]
    assert reader.epoch() == 1


def test_a_reader_that_slept_finds_what_has_moved(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 10)
    reader = log_at(directory)
    grow(writer, 5 * CHAPTER)
    assert reader.refresh() == 5 * CHAPTER
    assert [entry.n for entry in reader.entries(5, 20)] == list(range(5, 21))


def test_a_driver_that_slept_through_chapters_is_fenced(directory: Path) -> None:
    """Its next number is free: the entry that took it is in a chapter by now."""
    old = Writer.begin(log_at(directory), LEASE)
    grow(old, 10)
    new = Writer.begin(log_at(directory), LEASE)
    grow(new, 5 * CHAPTER)
    before = names(directory)
    assert "11.json" not in before
    with pytest.raises(FencedError, match=r"epoch 2"):
        old.append(tick(-1))
    assert names(directory) == before
    assert [entry.epoch for entry in log_at(directory).entries(9, 12)] == [1, 1, 2, 2]


def test_a_file_where_an_entry_has_moved_away_counts_for_nobody(directory: Path) -> None:
    """A driver that slept was killed before it could take its file away again."""
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 3 * CHAPTER)
    reader = log_at(directory)
    (directory / "11.json").write_bytes((directory / "45.json").read_bytes())
    assert reader.read(11).n == 11
    grow(writer, 4 * CHAPTER)
    assert "11.json" not in names(directory)


def test_two_drivers_that_bind_at_once(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other has taken the entries away before this one has read them."""
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 2 * CHAPTER - 1)
    read = chapters._line

    def overtaken(path: StorePath, n: int) -> bytes:
        monkeypatch.setattr(chapters, "_line", read)
        chapters.bind_chapters(writer.log.directory, writer.log.last, writer.log.has_moved)
        return read(path, n)

    monkeypatch.setattr(chapters, "_line", overtaken)
    grow(writer, 2 * CHAPTER)
    assert "0-15.jsonl" in names(directory) and "3.json" not in names(directory)
    assert [entry.n for entry in log_at(directory).audit()] == list(range(2 * CHAPTER + 1))


def test_what_a_crash_left_twice_is_tidied_by_the_next_driver(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, CHAPTER - 1)
    copies = {path: path.read_bytes() for path in directory.iterdir()}
    grow(writer, 3 * CHAPTER)
    for path, content in copies.items():
        path.write_bytes(content)
    Writer.begin(log_at(directory), LEASE)
    assert not names(directory) & {path.name for path in copies}
    assert [entry.n for entry in log_at(directory).audit()] == list(range(3 * CHAPTER + 2))


def test_an_unreadable_entry_moves_nowhere(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 2 * CHAPTER - 1)
    (directory / "5.json").write_bytes(b"{")
    with pytest.raises(HomeError, match=r"5\.json is not readable"):
        grow(writer, 2 * CHAPTER)
    assert (directory / "5.json").read_bytes() == b"{" and "0-15.jsonl" not in names(directory)


def test_a_torn_chapter_is_an_error(directory: Path) -> None:
    grow(Writer.begin(log_at(directory), LEASE), 3 * CHAPTER)
    (directory / "0-15.jsonl").write_bytes(b"{}\n")
    with pytest.raises(HomeError, match=r"0-15\.jsonl is not readable: it has 1 entry, not 16"):
        list(log_at(directory).audit())
