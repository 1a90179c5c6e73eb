"""Whether what a source has given can be read again: by its files, or by those of the home's archive.

No server is asked: of the records of a topic without an archive nothing is known here.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path

from airflow_nrt.basics.texts import counted
from airflow_nrt.home.changes.read_log import LogRead, Read
from airflow_nrt.home.log.history.changed_files import change_of
from airflow_nrt.home.log.splits import SourceFile, SourceRange, Split
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Archive, Source


class UnknownError(Exception):
    """Nobody here knows: the message says why."""


class AskServerError(UnknownError):
    """Only a server knows, which a driver asks."""


class Pieces(ABC):
    """The pieces that were read of one source."""

    @abstractmethod
    def lacking(self, reads: Iterable[Read]) -> dict[int, str]:
        """By their places in the order of reading, the batches that can't be read again as they were, with what they
        lack. Raises UnknownError."""


class Files(Pieces):
    """Files that are read again where they were found."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def lacking(self, reads: Iterable[Read]) -> dict[int, str]:
        found: dict[int, str] = {}
        is_seen = False
        for place, read in enumerate(reads):
            needed = [split for split in read.splits if not split.is_empty and not split.corrupt]
            gone = [split for split in needed if not self._is_there(split)]
            is_seen = is_seen or len(gone) < len(needed)
            if gone:
                found[place] = f"{counted(len(gone), 'file')} of {self._source.name}"
        if found and not is_seen and not self._sees_directory():
            raise UnknownError(f"this host does not see {connector_of(self._source.table).place(self._source.table)}")
        return found

    def _is_there(self, split: Split) -> bool:
        if not isinstance(split, SourceFile):
            raise UnknownError(
                f"only connector '{self._source.table.connector}' knows whether it still has {split.part}"
            )
        try:
            return os.path.exists(split.path) if split.version is not None else change_of(split) is None
        except (OSError, ValueError):
            return False

    def _sees_directory(self) -> bool:
        directory = connector_of(self._source.table).directory(self._source.table)
        return directory is not None and os.path.isdir(directory)


class Archived(Pieces):
    """Records that the home's archive has, by the entries that its files are of."""

    def __init__(self, archive: Archive, read: LogRead) -> None:
        self._insert = archive.insert
        self._read = read

    def lacking(self, reads: Iterable[Read]) -> dict[int, str]:
        directory = connector_of(self._insert.sink).directory(self._insert.sink)
        if directory is None or not os.path.isdir(directory):
            raise UnknownError(f"this host does not see the archive {self._insert.name}")
        files = {place: of for (insert, place), of in self._read.archived.items() if insert == self._insert.name}
        gone = {n for place, of in files.items() if not (Path(directory) / place).exists() for n in of}
        kept = {n for of in files.values() for n in of}
        found = {}
        for place, read in enumerate(reads):
            if read.n in gone:
                found[place] = f"files of the archive {self._insert.name}"
            elif read.rows and read.n not in kept:
                found[place] = f"records before the archive {self._insert.name}"
        return found


class NotAsked(Pieces):
    """Records that only their server has."""

    def __init__(self, source: Source) -> None:
        self._name = source.name

    def lacking(self, reads: Iterable[Read]) -> dict[int, str]:
        raise AskServerError(f"what {self._name} still keeps is known to its server alone")


def pieces_of(source: Source, reads: Iterable[Read], read: LogRead) -> Pieces:
    """How the pieces of a source would be read again. The log says of what they are."""
    if source.archive is not None and source.archive.written:
        return Archived(source.archive, read)
    if any(isinstance(split, SourceRange) for one in reads for split in one.splits):
        return NotAsked(source)
    return Files(source)
