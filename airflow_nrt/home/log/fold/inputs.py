"""What the entries of a log have read, as far as a later driver has to know it: so that it reads nothing twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_nrt.home.log.closed_directories import closed_by, reopened_by
from airflow_nrt.home.log.entries import ARCHIVED, COMPACTED, Commit, Entry, Published
from airflow_nrt.home.log.fold.read_files import FilesInMemory, FilesPart, ReadFiles, together
from airflow_nrt.home.log.splits import SourceRange, Split, files_of, ranges_of


@dataclass(frozen=True)
class SourceInputs:
    """What was read of one source, in order: all files, and of each part the first range and the ones that end last:
    of those with and without an archive, and with and without the id of a topic.

    `closed` are the directories that are closed; `reopened` others, which were closed before these entries, each with
    the time (ms) of the lease that opened it again.
    """

    files: ReadFiles = field(default_factory=ReadFiles)
    ranges: tuple[SourceRange, ...] = ()
    closed: tuple[str, ...] = ()
    reopened: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, splits: Iterable[Split]) -> SourceInputs:
        """These splits, unless it is what was read already."""
        if isinstance(splits, SourceInputs):
            return splits
        read = list(splits)
        return cls(ReadFiles.of(files_of(read)), ranges_of(read))

    def __iter__(self) -> Iterator[Split]:
        yield from self.files
        yield from self.ranges


@dataclass(frozen=True)
class ArchivedFile:
    """A file of an archive: what an entry says of it (`Published`), and that entry."""

    insert: str
    target: str
    state: str
    rows: int
    entry: int

    @classmethod
    def of(cls, one: Published, entry: int) -> ArchivedFile:
        return cls(one.insert, one.target, one.state, one.rows, entry)


@dataclass(frozen=True)
class Inputs:
    """What a range of entries has read.

    By source the splits; the versions of dimension tables that entries name; by place (`insert/target`) the files of
    archives that stand, and the places of those that an entry before the range may have published and that are gone.
    """

    sources: Mapping[str, SourceInputs] = field(default_factory=dict)
    dimensions: tuple[str, ...] = ()
    archived: Mapping[str, ArchivedFile] = field(default_factory=dict)
    gone: tuple[str, ...] = ()

    def of(self, source: str) -> SourceInputs:
        return self.sources.get(source, SourceInputs())


def inputs_of(entries: Iterable[Entry]) -> Inputs:
    """What these entries have read, in their order."""
    return joined(map(_of_entry, entries))


def joined(parts: Iterable[Inputs]) -> Inputs:
    """What was read in one part after another."""
    files: dict[str, list[FilesPart]] = {}
    ranges: dict[str, list[SourceRange]] = {}
    closed: dict[str, dict[str, None]] = {}
    reopened: dict[str, dict[str, int]] = {}
    dimensions: dict[str, None] = {}
    archived: dict[str, ArchivedFile] = {}
    gone: dict[str, None] = {}
    for part in parts:
        dimensions.update(dict.fromkeys(part.dimensions))
        for name, one in part.sources.items():
            files.setdefault(name, []).extend(one.files.parts)
            ranges.setdefault(name, []).extend(one.ranges)
            _pass_on(closed.setdefault(name, {}), one.reopened, dict.fromkeys(one.closed))
            _pass_on(reopened.setdefault(name, {}), one.closed, one.reopened)
        for place in part.gone:
            archived.pop(place, None)
            gone[place] = None
        archived.update(part.archived)
    sources = {
        name: SourceInputs(together(files[name]), _needed(ranges[name]), tuple(closed[name]), reopened[name])
        for name in files
    }
    return Inputs(sources, tuple(dimensions), archived, tuple(gone))


def _of_entry(entry: Entry) -> Inputs:
    body = entry.body
    sources: dict[str, SourceInputs] = {}
    if isinstance(body, Commit):
        read = FilesInMemory(tuple((entry.time, file) for file in body.files))
        sources[body.source] = SourceInputs(ReadFiles((read,) if body.files else ()), body.ranges)
    for name, directories in closed_by(entry).items():
        sources[name] = SourceInputs(closed=directories)
    for name, directories in reopened_by(entry).items():
        sources[name] = SourceInputs(reopened=dict.fromkeys(directories, entry.time))
    archived = [one for one in entry.published if one.state in (ARCHIVED, COMPACTED)]
    files = {f"{one.insert}/{one.target}": ArchivedFile.of(one, entry.n) for one in archived}
    return Inputs(sources, tuple(entry.dimensions.values()), files, entry.removed)


def _pass_on(into: dict[str, Any], gone: Iterable[str], new: Mapping[str, Any]) -> None:
    for name in gone:
        into.pop(name, None)
    into.update(new)


def _needed(ranges: Iterable[SourceRange]) -> tuple[SourceRange, ...]:
    first: dict[str, SourceRange] = {}
    last: dict[tuple[str, bool, bool], SourceRange] = {}
    for one in ranges:
        first.setdefault(one.part, one)
        of_kind = one.part, one.archive is None, one.topic_id is None
        if one.end >= last.get(of_kind, one).end:
            # In the order of reading.
            last.pop(of_kind, None)
            last[of_kind] = one
    return tuple(dict.fromkeys((*first.values(), *last.values())))
