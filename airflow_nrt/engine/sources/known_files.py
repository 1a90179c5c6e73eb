"""The files that were read of a source, as far as somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from airflow_nrt.engine.sources.names import Names
from airflow_nrt.home.log.fold.read_files import ReadFiles, in_directory

KEPT_NS = 300_000_000_000
"""The names of a directory stay in memory for so long after the last question about it."""


class KnownFiles:
    """The paths of files that entries have read, and of those that were found since.

    Of what entries have read, the names in a directory are loaded when one of them is asked for: a directory that does
    not change is not listed, and a file that is gone is in no listing.
    """

    def __init__(self, read: ReadFiles) -> None:
        self._read = read
        self._loaded: dict[str, Names] = {}
        self._idle: dict[str, int] = {}
        self._found: dict[str, Names] = {}

    @classmethod
    def of(cls, paths: Iterable[str]) -> KnownFiles:
        known = cls(ReadFiles())
        known.update(paths)
        return known

    def __contains__(self, path: str) -> bool:
        """Raises HomeError if what entries have read can't be read."""
        directory, name = in_directory(path)
        return name in self._found.get(directory, ()) or name in self._names(directory)

    def __iter__(self) -> Iterator[str]:
        """All paths, of which some may come twice."""
        for directory, names in self._found.items():
            yield from (directory + name for name in names)
        yield from (file.path for file in self._read)

    def update(self, paths: Iterable[str]) -> None:
        for path in paths:
            directory, name = in_directory(path)
            self._found.setdefault(directory, Names()).add(name)

    def rest(self, now: int) -> None:
        """Lets go of names about which nobody has asked for a while; `now` in ns."""
        for directory in self._loaded:
            self._idle.setdefault(directory, now)
        for directory in [one for one, since in self._idle.items() if now - since > KEPT_NS]:
            del self._loaded[directory], self._idle[directory]

    def _names(self, directory: str) -> Names:
        self._idle.pop(directory, None)
        if directory not in self._loaded:
            self._loaded[directory] = Names(self._read.names_in(directory))
        return self._loaded[directory]
