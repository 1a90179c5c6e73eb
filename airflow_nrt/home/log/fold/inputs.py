"""What the entries of a log have read, as far as a later driver has to know it: so that it reads nothing twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from airflow_nrt.home.log.entries import Commit, Entry, SourceFile, SourceRange, Split


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
class Inputs:
    """By source what was read, and the versions of dimension tables that entries name."""

    sources: Mapping[str, SourceInputs] = field(default_factory=dict)
    dimensions: tuple[str, ...] = ()

    def splits(self, source: str) -> tuple[Split, ...]:
        return self.sources[source].splits if source in self.sources else ()


def inputs_of(entries: Iterable[Entry]) -> Inputs:
    """What these entries have read, in their order."""
    return joined(_of_entry(entry) for entry in entries)


def joined(parts: Iterable[Inputs]) -> Inputs:
    """What was read in one part after another."""
    files: dict[str, list[SourceFile]] = {}
    ranges: dict[str, list[SourceRange]] = {}
    dimensions: dict[str, None] = {}
    for part in parts:
        dimensions.update(dict.fromkeys(part.dimensions))
        for name, one in part.sources.items():
            files.setdefault(name, []).extend(one.files)
            ranges.setdefault(name, []).extend(one.ranges)
    sources = {name: SourceInputs(tuple(files[name]), _needed(ranges[name])) for name in files}
    return Inputs(sources, tuple(dimensions))


def _of_entry(entry: Entry) -> Inputs:
    body, named = entry.body, tuple(entry.dimensions.values())
    return Inputs({body.source: SourceInputs(body.files, body.ranges)} if isinstance(body, Commit) else {}, named)


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
