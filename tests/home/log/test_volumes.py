"""Old chapters move into volumes: nobody sees a difference, and no writer finds an empty place among them."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError, HomeError
from airflow_nrt.home.log import log as logs
from airflow_nrt.home.log import volumes
from airflow_nrt.home.log.entries import Lease, Position, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.packing import unpacked
from airflow_nrt.home.store.store_path import StorePath
from tests.home.logs import log_at
from tests.home.short_logs import CHAPTER, VOLUME, short_volumes

__all__ = ["short_volumes"]

LEASE = Lease("host", 1, "application")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "log"
    path.mkdir(parents=True)
    return path


def grow(writer: Writer, until: int) -> None:
    while writer.last < until:
        writer.append(Tick((), 0, Position(windows=writer.last + 1)))


def bound(log: Log) -> None:
    while log.bind_volume():
        pass


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_chapters_but_the_newest_range_become_volumes(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 5 * VOLUME)
    reader = log_at(directory)
    bound(writer.log)
    assert {"0-15.jsonl.xz", "48-63.jsonl.xz"} <= names(directory)
    assert "0-3.jsonl" not in names(directory) and "64-67.jsonl" in names(directory)
    for one in (reader, log_at(directory)):
        assert one.last == 5 * VOLUME
        assert [entry.n for entry in one.audit()] == list(range(5 * VOLUME + 1))
        assert [entry.n for entry in one.backwards()] == list(reversed(range(5 * VOLUME + 1)))
        assert [one.position(n).windows for n in (1, CHAPTER, VOLUME, 3 * VOLUME)] == [1, CHAPTER, VOLUME, 3 * VOLUME]


def test_a_walk_unpacks_each_volume_once(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 5 * VOLUME)
    bound(writer.log)
    unpacked: list[StorePath] = []
    read = volumes.read_volume
    monkeypatch.setattr(
        logs, "read_volume", lambda path: found if (found := read(path)) is None else unpacked.append(path) or found
    )
    list(log_at(directory).audit())
    list(log_at(directory).backwards())
    assert len(unpacked) == 2 * 4


def test_a_reader_that_slept_finds_what_has_moved(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 10)
    reader = log_at(directory)
    grow(writer, 5 * VOLUME)
    bound(writer.log)
    assert reader.refresh() == 5 * VOLUME
    assert [entry.n for entry in reader.entries(5, 20)] == list(range(5, 21))


def test_a_driver_that_slept_through_volumes_is_fenced(directory: Path) -> None:
    old = Writer.begin(log_at(directory), LEASE)
    grow(old, 10)
    new = Writer.begin(log_at(directory), LEASE)
    grow(new, 5 * VOLUME)
    bound(new.log)
    before = names(directory)
    with pytest.raises(FencedError, match=r"epoch 2"):
        old.append(Tick((), 0, Position()))
    assert names(directory) == before


def test_a_file_beside_its_volume_counts_for_nobody(directory: Path) -> None:
    """Of a driver that slept, and was killed before it could take its file away again."""
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 5 * VOLUME)
    bound(writer.log)
    (directory / "11.json").write_bytes((directory / f"{5 * VOLUME}.json").read_bytes())
    assert log_at(directory).read(11).n == 11
    grow(writer, 6 * VOLUME)
    assert "11.json" not in names(directory) and log_at(directory).read(11).n == 11


def test_two_drivers_that_bind_at_once(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other has taken the chapters away before this one has read them."""
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 3 * VOLUME)
    read = volumes._lines

    def overtaken(among: StorePath, n: int) -> bytes:
        monkeypatch.setattr(volumes, "_lines", read)
        assert log_at(directory).bind_volume()
        return read(among, n)

    monkeypatch.setattr(volumes, "_lines", overtaken)
    assert writer.log.bind_volume()
    assert [entry.n for entry in log_at(directory).audit()] == list(range(3 * VOLUME + 1))


def test_what_a_crash_left_twice_is_tidied(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 3 * VOLUME)
    copies = {path: path.read_bytes() for path in directory.glob("*.jsonl")}
    bound(writer.log)
    for path, content in copies.items():
        path.write_bytes(content)
    assert log_at(directory).bind_volume()
    assert [entry.n for entry in log_at(directory).audit()] == list(range(3 * VOLUME + 1))
    assert "0-3.jsonl" not in names(directory)


@pytest.mark.parametrize("unpacked", [b"{}\n{}\n", b"{}\n" * 16, None], ids=["two entries", "cut", "not compressed"])
@pytest.mark.parametrize(("ending", "compress"), [("xz", lzma.compress), ("gz", gzip.compress)], ids=["xz", "gz"])
def test_a_torn_volume_is_an_error(
    directory: Path, ending: str, compress: Callable[[bytes], bytes], unpacked: bytes | None
) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 3 * VOLUME)
    bound(writer.log)
    (directory / "0-15.jsonl.xz").unlink()
    content = b"no volume" if unpacked is None else compress(unpacked)[: -9 if len(unpacked) > 6 else None]
    (directory / f"0-15.jsonl.{ending}").write_bytes(content)
    with pytest.raises(HomeError, match=rf"0-15\.jsonl\.{ending} is not readable"):
        list(log_at(directory).audit())


def test_volumes_of_earlier_versions_are_read(directory: Path) -> None:
    """Another one of the same entries, which a driver of this version has written, does not count."""
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 4 * VOLUME)
    bound(writer.log)
    newer = directory / "16-31.jsonl.xz"
    (directory / "16-31.jsonl.gz").write_bytes(gzip.compress(unpacked(lzma.decompress(newer.read_bytes()))))
    newer.write_bytes(b"")
    not_packed = directory / "0-15.jsonl.xz"
    not_packed.write_bytes(lzma.compress(unpacked(lzma.decompress(not_packed.read_bytes()))))
    log = log_at(directory)
    assert [entry.n for entry in log.audit()] == list(range(4 * VOLUME + 1))
    assert log.has_moved(20) and log.read(20).n == 20
    assert not log.bind_volume()


def test_an_unreadable_chapter_moves_nowhere(directory: Path) -> None:
    writer = Writer.begin(log_at(directory), LEASE)
    grow(writer, 3 * VOLUME)
    (directory / "4-7.jsonl").write_bytes(b"{}\n")
    with pytest.raises(HomeError, match=r"4-7\.jsonl is not readable"):
        writer.log.bind_volume()
    assert "0-3.jsonl" in names(directory) and "0-15.jsonl.xz" not in names(directory)
