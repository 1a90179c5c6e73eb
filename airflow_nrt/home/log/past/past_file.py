"""A file with what a range of entries says about the past: columns of JSON, compressed, each part by itself.

    head       which entries, rows that are left out, leases, restatements and fillings
    results    what was published and removed
    batches    times, rows, watermarks

The head has the ids of the entries before and at the end of the range. So the files of a log are a chain.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress, repeat
from typing import Any, TypeVar

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.formats import Format
from airflow_nrt.home.log.entries import Entry, Fill, Lease, Left, Published, Restate, Tick, entry_from_json
from airflow_nrt.home.log.past.past_entry import Batch, LeftOut, PastEntry, left_out_by
from airflow_nrt.home.store.store_path import StorePath

_FORMAT = Format("what entries say about the past")
_MOST_BYTES = 1 << 30
_Record = TypeVar("_Record")


@dataclass(frozen=True)
class _Part:
    """A part of the file after the head: its size in bytes, and their CRC-32."""

    size: int
    crc: int


@dataclass(frozen=True)
class PastHead:
    """`before` and `id` are the ids of the entry before the first one (none: an empty text) and of the last one.
    `others` are the entries that are neither commits nor ticks."""

    first: int
    last: int
    before: str
    id: str
    left_out: Mapping[int, LeftOut]
    others: tuple[Any, ...]
    parts: tuple[_Part, ...]


@dataclass(frozen=True)
class _Results:
    """The entries that published or removed something. Of each file of results the entry `n`, and what that says of it;
    `deltas` are the places of those that are one."""

    entry: Sequence[int]
    time: Sequence[int]
    epoch: Sequence[int | None]
    removed: Mapping[int, tuple[str, ...]]
    n: Sequence[int]
    insert: Sequence[str]
    start: Sequence[int | None]
    end: Sequence[int | None]
    state: Sequence[str]
    rows: Sequence[int]
    checksum: Sequence[str]
    staged: Sequence[str]
    target: Sequence[str]
    deltas: tuple[int, ...]


@dataclass(frozen=True)
class _Batches:
    """Of each commit `n` its batch, and of each tick the time and the epoch."""

    n: Sequence[int]
    time: Sequence[int]
    epoch: Sequence[int | None]
    began: Sequence[int]
    rows: Sequence[int]
    files: Sequence[int]
    watermark: Sequence[int | None]
    ticks: Mapping[int, tuple[int | None, ...]]


def write_past(path: StorePath, before: str, entries: Sequence[Entry]) -> None:
    """Raises OSError. `before` is the id of the entry before these."""
    parts = [_stored(_results(entries)), _stored(_batches(entries))]
    left_out = {one.n: some for one in entries for some in [_left_out(one)] if some is not None}
    others = tuple(one.to_json() for one in entries if isinstance(one.body, (Lease, Restate, Fill, Left)))
    known = tuple(_Part(len(part), zlib.crc32(part)) for part in parts)
    head = PastHead(entries[0].n, entries[-1].n, before, entries[-1].id, left_out, others, known)
    path.replace(b"".join([_stored(head), *parts]))


@dataclass(frozen=True)
class PastFile:
    """A file that was found to be whole."""

    path: StorePath
    head: PastHead
    parts: tuple[bytes, ...]

    @classmethod
    def open(cls, path: StorePath) -> PastFile:
        """Raises FileNotFoundError; HomeError if it is not whole."""
        try:
            stored = path.read(_MOST_BYTES)
            unpacking = zlib.decompressobj(wbits=31)
            content = unpacking.decompress(stored, _MOST_BYTES)
            if not unpacking.eof:
                raise ValueError("it ends too early")
            head = decoded(_FORMAT.read(parse_json(content), path), PastHead)
            rest, parts = unpacking.unused_data, []
            for one in head.parts:
                parts.append(rest[: one.size])
                rest = rest[one.size :]
            if rest or any(zlib.crc32(part) != one.crc for one, part in zip(head.parts, parts)):
                raise ValueError("it is not what was written there")
        except FileNotFoundError:
            raise
        except (OSError, ValueError, TypeError, zlib.error) as wrong:
            raise HomeError(f"{path} can't be read: {wrong}") from None
        return cls(path, head, tuple(parts))

    def left_out(self) -> Iterator[tuple[int, LeftOut]]:
        """By entry, the rows that are left out."""
        yield from self.head.left_out.items()

    def results(self) -> Iterator[PastEntry]:
        """The entries with results, and those that are neither commits nor ticks; commits without their batches."""
        of = self._part(0, _Results)
        found = {one.n: one for one in (*self._others(), *_with_results(of, repeat(True)))}
        return iter([found[n] for n in sorted(found)])

    def entries(self) -> Iterator[PastEntry]:
        """All entries; of results only those of windows."""
        of, batches, left_out = self._part(0, _Results), self._part(1, _Batches), self.head.left_out
        found = {one.n: one.of_windows() for one in self._others()}
        found.update((one.n, one) for one in _with_results(of, (end is not None for end in of.end)))
        columns = zip(batches.time, batches.epoch, batches.began, batches.rows, batches.files, batches.watermark)
        for n, (time, epoch, began, rows, files, watermark) in zip(batches.n, columns, strict=True):
            has, batch = found.get(n, _NOTHING), Batch(began, rows, files, watermark, left_out.get(n))
            found[n] = PastEntry(n, time, epoch, has.published, has.removed, batch)
        ticks = ((n, time or 0, epoch) for n, (time, epoch) in batches.ticks.items())
        found.update((n, PastEntry(n, time, epoch)) for n, time, epoch in ticks if n not in found)
        return iter([found[n] for n in sorted(found)])

    def _others(self) -> Iterator[PastEntry]:
        return (PastEntry.of(entry_from_json(one)) for one in self.head.others)

    def _part(self, number: int, kind: type[_Record]) -> _Record:
        content = parse_json(gzip.decompress(self.parts[number]))
        return decoded(_FORMAT.read(content, self.path), kind)


_NOTHING = PastEntry(-1, 0, None)


def _with_results(of: _Results, chosen: Iterable[bool]) -> Iterator[PastEntry]:
    """The entries that have one of the chosen results, or removed some."""
    published = dict[int, list[Published]]()
    are_deltas = [False] * len(of.n)
    for place in of.deltas:
        are_deltas[place] = True
    rows = zip(of.insert, of.start, of.end, of.state, of.rows, of.checksum, of.staged, of.target, are_deltas)
    for n, row in compress(zip(of.n, rows, strict=True), chosen):
        published.setdefault(n, []).append(Published(*row))
    for n, time, epoch in zip(of.entry, of.time, of.epoch, strict=True):
        if n in published or n in of.removed:
            yield PastEntry(n, time, epoch, tuple(published.get(n, ())), of.removed.get(n, ()))


def _left_out(entry: Entry) -> LeftOut | None:
    body = entry.body
    return None if isinstance(body, (Lease, Restate, Fill, Left, Tick)) else left_out_by(body)


def _results(entries: Sequence[Entry]) -> _Results:
    some = [one for one in entries if not isinstance(one.body, (Lease, Restate, Fill, Left))]
    some = [one for one in some if one.published or one.removed]
    found = [(entry.n, one) for entry in some for one in entry.published]
    files = [one for _, one in found]
    return _Results(
        [one.n for one in some],
        [one.time for one in some],
        [one.epoch for one in some],
        {one.n: one.removed for one in some if one.removed},
        [n for n, _ in found],
        [one.insert for one in files],
        [one.start for one in files],
        [one.end for one in files],
        [one.state for one in files],
        [one.rows for one in files],
        [one.checksum for one in files],
        [one.staged for one in files],
        [one.target for one in files],
        tuple(place for place, one in enumerate(files) if one.is_delta),
    )


def _batches(entries: Sequence[Entry]) -> _Batches:
    past = [PastEntry.of(one) for one in entries]
    found = [(one, one.body) for one in past if isinstance(one.body, Batch)]
    return _Batches(
        [one.n for one, _ in found],
        [one.time for one, _ in found],
        [one.epoch for one, _ in found],
        [batch.began for _, batch in found],
        [batch.rows for _, batch in found],
        [batch.files for _, batch in found],
        [batch.watermark for _, batch in found],
        {one.n: (one.time, one.epoch) for one in past if one.body is None},
    )


def _stored(part: Any) -> bytes:
    content = json.dumps(_FORMAT.stamped(asdict(part)), separators=(",", ":"), ensure_ascii=False)
    return gzip.compress(content.encode(), mtime=0)
