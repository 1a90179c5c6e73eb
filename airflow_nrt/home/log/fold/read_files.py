"""The files that entries have read of a source, by directory: a driver asks only for directories that change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Protocol

from airflow_nrt.home.log.splits import SourceFile


class FilesPart(Protocol):
    """The files that a range of entries has read, in their order."""

    @property
    def directories(self) -> Mapping[str, int]:
        """The directories of the files, with a slash at the end, and when the last entry that read one of them was
        written (ms)."""
        ...

    def names_in(self, directory: str) -> Iterable[str]:
        """The names of the files in such a directory."""
        ...

    def __iter__(self) -> Iterator[SourceFile]: ...


@dataclass(frozen=True)
class FilesInMemory:
    """Files with the times of their entries (ms)."""

    files: tuple[tuple[int, SourceFile], ...] = ()

    @cached_property
    def _names(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for _, file in self.files:
            directory, name = in_directory(file.path)
            found.setdefault(directory, []).append(name)
        return found

    @cached_property
    def directories(self) -> Mapping[str, int]:
        return newest((in_directory(file.path)[0], time) for time, file in self.files)

    def names_in(self, directory: str) -> Iterable[str]:
        return self._names.get(directory, ())

    def __iter__(self) -> Iterator[SourceFile]:
        return (file for _, file in self.files)


@dataclass(frozen=True, eq=False)
class ReadFiles:
    """All files, in the order of reading. To iterate over them reads all parts, one after the other."""

    parts: tuple[FilesPart, ...] = ()

    @classmethod
    def of(cls, files: Iterable[SourceFile]) -> ReadFiles:
        """Files of which nobody says when they were read."""
        return cls((FilesInMemory(tuple((0, file) for file in files)),))

    @cached_property
    def directories(self) -> Mapping[str, int]:
        """As in a part."""
        return newest(chain.from_iterable(part.directories.items() for part in self.parts))

    def names_in(self, directory: str) -> Iterator[str]:
        """Reads only the parts that have files in this directory. Raises HomeError if one can't be read."""
        return chain.from_iterable(part.names_in(directory) for part in self.parts if directory in part.directories)

    def last(self, count: int) -> tuple[SourceFile, ...]:
        """The last files, at most so many."""
        found: tuple[SourceFile, ...] = ()
        for part in reversed(self.parts):
            if len(found) >= count:
                break
            found = (*part, *found)
        return found[-count:]

    def __iter__(self) -> Iterator[SourceFile]:
        return chain.from_iterable(self.parts)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, ReadFiles) and self.directories == other.directories
        return same and isinstance(other, ReadFiles) and tuple(self) == tuple(other)


def in_directory(path: str) -> tuple[str, str]:
    """The directory of a path, with the slash, and the name in it: together they are the path."""
    directory, slash, name = path.rpartition("/")
    return directory + slash, name


def newest(times: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The greatest number of each name."""
    found: dict[str, int] = {}
    for name, time in times:
        found[name] = max(time, found.get(name, time))
    return found


def together(parts: Iterable[FilesPart]) -> ReadFiles:
    """The files of one part after another; what is in memory anyway is one part."""
    found: list[FilesPart] = []
    in_memory: list[tuple[int, SourceFile]] = []
    for part in parts:
        if isinstance(part, FilesInMemory):
            in_memory += part.files
            continue
        if in_memory:
            found.append(FilesInMemory(tuple(in_memory)))
            in_memory = []
        found.append(part)
    if in_memory:
        found.append(FilesInMemory(tuple(in_memory)))
    return ReadFiles(tuple(found))
