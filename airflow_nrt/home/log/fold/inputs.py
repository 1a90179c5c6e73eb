"""What the entries of a log have read, as far as a later driver has to know it: so that it reads nothing twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from airflow_nrt.home.log.entries import (
    ARCHIVED,
    COMPACTED,
    Commit,
    Entry,
    Published,
    SourceFile,
    SourceRange,
    Split,
)


@dataclass(frozen=True)
class SourceInputs:
    """What was read of one source, in order: all files, and of each part the first range and the ones that end last:
    of those with and without an archive, and with and without the id of a topic."""

    files: tuple[SourceFile, ...] = ()
    ranges: tuple[SourceRange, ...] = ()

    @property
    def splits(self) -> tuple[Split, ...]:
        return (*self.files, *self.ranges)


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

    def splits(self, source: str) -> tuple[Split, ...]:
        return self.sources[source].splits if source in self.sources else ()


def inputs_of(entries: Iterable[Entry]) -> Inputs:
    """What these entries have read, in their order."""
    return joined(map(_of_entry, entries))


def joined(parts: Iterable[Inputs]) -> Inputs:
    """What was read in one part after another."""
    files: dict[str, list[SourceFile]] = {}
    ranges: dict[str, list[SourceRange]] = {}
    dimensions: dict[str, None] = {}
    archived: dict[str, ArchivedFile] = {}
    gone: dict[str, None] = {}
    for part in parts:
        dimensions.update(dict.fromkeys(part.dimensions))
        for name, one in part.sources.items():
            files.setdefault(name, []).extend(one.files)
            ranges.setdefault(name, []).extend(one.ranges)
        for place in part.gone:
            archived.pop(place, None)
            gone[place] = None
        archived.update(part.archived)
    sources = {name: SourceInputs(tuple(files[name]), _needed(ranges[name])) for name in files}
    return Inputs(sources, tuple(dimensions), archived, tuple(gone))


def _of_entry(entry: Entry) -> Inputs:
    body = entry.body
    sources = {body.source: SourceInputs(body.files, body.ranges)} if isinstance(body, Commit) else {}
    archived = [one for one in entry.published if one.state in (ARCHIVED, COMPACTED)]
    files = {f"{one.insert}/{one.target}": ArchivedFile.of(one, entry.n) for one in archived}
    return Inputs(sources, tuple(entry.dimensions.values()), files, entry.removed)


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
