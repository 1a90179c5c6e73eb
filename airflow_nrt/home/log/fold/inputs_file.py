"""A file with what a range of entries has read: columns of JSON, compressed, because names of files are alike.

    head     ranges, dimensions, files of archives, and in which directories files were read
    names    the names of these files
    rest     their sizes and times

A start reads the heads alone. The names are read when somebody asks for a directory that has some of them here.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, TypeVar

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import decoded, parse_json
from airflow_nrt.files.formats import Content, Format
from airflow_nrt.home.log.fold.inputs import ArchivedFile, Inputs, SourceInputs
from airflow_nrt.home.log.fold.read_files import ReadFiles, in_directory
from airflow_nrt.home.log.splits import SourceFile, SourceRange, TableVersion
from airflow_nrt.home.store.records import record_bytes
from airflow_nrt.home.store.store_path import StorePath

_MOST_BYTES = 1 << 30
_Record = TypeVar("_Record")


def _of_format_1(content: Content) -> Content:
    """Format 1 was the head alone, which had the files, and nothing of their directories."""
    return content


_FORMAT = Format("inputs of a checkpoint", (_of_format_1,))


@dataclass(frozen=True)
class _Names:
    """`runs` are places among the directories of the head, and how many of the next names are there, in turn."""

    runs: Sequence[int]
    name: Sequence[str]


@dataclass(frozen=True)
class _Rest:
    """`corrupt`, `version` and `until` have the places of the few files that need them."""

    size: Sequence[int]
    modified: Sequence[int]
    corrupt: Sequence[int]
    version: Mapping[int, TableVersion]
    until: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Files1:
    """Files as format 1 had them."""

    size: Sequence[int]
    modified: Sequence[int]
    corrupt: Sequence[int]
    version: Mapping[int, TableVersion]
    path: Sequence[str]


@dataclass(frozen=True)
class _Source1:
    files: _Files1
    ranges: tuple[SourceRange, ...]


@dataclass(frozen=True)
class _Source:
    ranges: tuple[SourceRange, ...]
    directories: Mapping[str, int] = field(default_factory=dict)
    closed: tuple[str, ...] = ()
    reopened: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Member:
    """A part of the file after the head: its size in bytes, and their CRC-32."""

    size: int
    crc: int


@dataclass(frozen=True)
class _Head:
    sources: Mapping[str, _Source]
    dimensions: tuple[str, ...]
    archived: Mapping[str, ArchivedFile]
    gone: tuple[str, ...]
    names: _Member
    rest: _Member


@dataclass(frozen=True)
class _Content1:
    sources: Mapping[str, _Source1]
    dimensions: tuple[str, ...]
    archived: Mapping[str, ArchivedFile]
    gone: tuple[str, ...]


@dataclass(frozen=True)
class StoredFiles:
    """The files of one source, as this file has them. Each method raises HomeError if it can't be read any more."""

    path: StorePath
    source: str
    directories: Mapping[str, int]
    names: _Member
    rest: _Member

    def names_in(self, directory: str) -> Iterable[str]:
        wanted = list(self.directories).index(directory)
        return [name for place, name in self._names() if place == wanted]

    def __iter__(self) -> Iterator[SourceFile]:
        directories, rest = list(self.directories), self._read(self.rest, self.rest.size, _Rest)
        paths = (directories[place] + name for place, name in self._names())
        return iter(_by_row(paths, rest))

    def _names(self) -> Iterator[tuple[int, str]]:
        names = self._read(self.names, self.names.size + self.rest.size, _Names)
        runs = zip(names.runs[::2], names.runs[1::2], strict=True)
        places = chain.from_iterable([place] * count for place, count in runs)
        return zip(places, names.name, strict=True)

    def _read(self, member: _Member, from_end: int, kind: type[_Record]) -> _Record:
        try:
            stored = self.path.read(_MOST_BYTES)
            stored = stored[len(stored) - from_end :][: member.size]
            if zlib.crc32(stored) != member.crc:
                raise ValueError("it is not what was written there")
            return decoded(parse_json(gzip.decompress(stored))[self.source], kind)
        except (OSError, ValueError, TypeError, LookupError, EOFError, zlib.error) as wrong:
            raise HomeError(f"{self.path} can't be read: {wrong}") from None


def write_inputs(path: StorePath, inputs: Inputs) -> tuple[int, int]:
    """Gives the size in bytes, and the CRC-32 of the head, which is the same for the same inputs. Raises OSError."""
    files = {name: (one.files.directories, tuple(one.files)) for name, one in inputs.sources.items()}
    names = _stored({name: asdict(_names(directories, some)) for name, (directories, some) in files.items() if some})
    rest = _stored({name: _known_to_all(asdict(_rest(some))) for name, (_, some) in files.items() if some})
    sources = {
        name: _Source(one.ranges, files[name][0], one.closed, one.reopened) for name, one in inputs.sources.items()
    }
    members = (_Member(len(stored), zlib.crc32(stored)) for stored in (names, rest))
    head = _Head(sources, inputs.dimensions, inputs.archived, inputs.gone, *members)
    content = record_bytes(_FORMAT, head)
    stored = gzip.compress(content, mtime=0) + names + rest
    path.replace(stored)
    return len(stored), zlib.crc32(content)


def read_inputs(path: StorePath, crc: int) -> Inputs:
    """Raises HomeError unless it is a file whose head has this checksum, and whose other parts have theirs."""
    try:
        stored = path.read(_MOST_BYTES)
        unpacking = zlib.decompressobj(wbits=31)
        content = unpacking.decompress(stored, _MOST_BYTES)
        if zlib.crc32(content) != crc or not unpacking.eof:
            raise ValueError("it is not what was written there")
        fields = parse_json(content)
        found = _FORMAT.read(fields, path)
        if fields.get("format", 1) == 1:
            return _of_older(decoded(found, _Content1))
        head = decoded(found, _Head)
        _check_members(unpacking.unused_data, head.names, head.rest)
    except (OSError, ValueError, TypeError, EOFError, zlib.error) as wrong:
        raise HomeError(f"{path} can't be read: {wrong}") from None
    sources = {
        name: SourceInputs(_files(path, name, one, head), one.ranges, one.closed, one.reopened)
        for name, one in head.sources.items()
    }
    return Inputs(sources, head.dimensions, head.archived, head.gone)


def _files(path: StorePath, source: str, one: _Source, head: _Head) -> ReadFiles:
    stored = StoredFiles(path, source, one.directories, head.names, head.rest)
    return ReadFiles((stored,) if one.directories else ())


def _check_members(stored: bytes, *members: _Member) -> None:
    """Raises ValueError unless these members are all that is there."""
    at = 0
    for member in members:
        if zlib.crc32(stored[at : at + member.size]) != member.crc:
            raise ValueError("it is not what was written there")
        at += member.size
    if at != len(stored):
        raise ValueError("it is not what was written there")


def _of_older(content: _Content1) -> Inputs:
    sources = {
        name: SourceInputs(ReadFiles.of(_by_row(one.files.path, _rest_of_1(one.files))), one.ranges)
        for name, one in content.sources.items()
    }
    return Inputs(sources, content.dimensions, content.archived, content.gone)


def _rest_of_1(files: _Files1) -> _Rest:
    return _Rest(files.size, files.modified, files.corrupt, files.version)


def _names(directories: Mapping[str, int], files: Sequence[SourceFile]) -> _Names:
    place = {directory: n for n, directory in enumerate(directories)}
    split = [in_directory(file.path) for file in files]
    runs = ((place[directory], len(list(some))) for directory, some in groupby(split, itemgetter(0)))
    return _Names(list(chain.from_iterable(runs)), [name for _, name in split])


def _rest(files: Sequence[SourceFile]) -> _Rest:
    corrupt = [n for n, file in enumerate(files) if file.corrupt]
    versions = {n: file.version for n, file in enumerate(files) if file.version is not None}
    until = {n: file.until for n, file in enumerate(files) if file.until is not None}
    return _Rest([file.size for file in files], [file.modified for file in files], corrupt, versions, until)


def _known_to_all(rest: dict[str, Any]) -> dict[str, Any]:
    """A version that does not know `until` reads files that have none."""
    return rest if rest["until"] else {name: value for name, value in rest.items() if name != "until"}


def _by_row(paths: Iterable[str], files: _Rest) -> tuple[SourceFile, ...]:
    corrupt = frozenset(files.corrupt)
    rows = enumerate(zip(paths, files.size, files.modified, strict=True))
    return tuple(SourceFile(*row, n in corrupt, files.version.get(n), files.until.get(n)) for n, row in rows)


def _stored(content: Any) -> bytes:
    return gzip.compress(_in_json(content), mtime=0)


def _in_json(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
