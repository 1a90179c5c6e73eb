"""The locations of homes: directories below the roots that hold a `report.json`, each with its id."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from airflow_nrt.home.ids import home_id
from airflow_nrt.page.homes.patience import answers_in_time

DEPTH = 4
"""How far below its root a home may be."""
MOST_HOMES = 2000
_MOST_DIRECTORIES = 20_000
_SECONDS = 10.0
"""How long the result of a search counts."""


@dataclass(frozen=True)
class Root:
    """A directory of homes. `label` is the connection's id, `group` the group that shares these homes."""

    path: str
    label: str
    group: str | None = None


@dataclass(frozen=True)
class Place:
    """The location of a home. `name` is its path below the root, for people."""

    path: Path
    name: str
    root: Root
    id: str


@dataclass(frozen=True)
class Found:
    """The homes that were found. `problems` are roots that can't be read; `truncated` if there are more homes than the
    limit."""

    places: dict[str, Place] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    truncated: bool = False


def find(root: Root) -> Found:
    """The homes below a root."""
    top = Path(root.path.removeprefix("file://"))
    if "://" in root.path.removeprefix("file://"):
        return Found(problems=(f"{root.label}: homes can't be on {root.path} yet",))
    places: dict[str, Place] = {}
    left = [_MOST_DIRECTORIES]
    try:
        for path in _homes(top, DEPTH, left):
            place = Place(path, str(path.relative_to(top)), root, home_id(path))
            places[place.id] = place
            if len(places) >= MOST_HOMES:
                return Found(places, (), True)
    except OSError as wrong:
        return Found(problems=(f"{root.label}: {top} can't be read: {wrong.strerror}",))
    return Found(places, (), left[0] <= 0)


def find_in_time(root: Root, before: Found) -> Found:
    """As `find`; the homes found `before` if the file system does not answer."""
    found: list[Found] = []
    if answers_in_time(Path(root.path), lambda: found.append(find(root))):
        return found[0]
    known = {one.id: one for one in before.places.values() if one.root == root}
    return Found(known, (f"{root.label}: the file system of {root.path} does not answer",), before.truncated)


def joined(some: Sequence[Found]) -> Found:
    """All homes; one below several roots counts for the first."""
    places: dict[str, Place] = {}
    for one in some:
        places = {**one.places, **places}
    problems = tuple(problem for one in some for problem in one.problems)
    return Found(places, problems, any(one.truncated for one in some))


def _homes(directory: Path, depth: int, left: list[int]) -> Iterator[Path]:
    """Raises OSError only for the first directory, because others may belong to anybody."""
    inner = []
    with os.scandir(directory) as entries:
        for entry in entries:
            left[0] -= 1
            if left[0] <= 0:
                return
            if entry.name.startswith(".") or not entry.is_dir():
                continue
            path = directory / entry.name
            if os.path.lexists(path / "report.json"):
                yield path
            elif depth > 1 and not entry.is_symlink():
                inner.append(path)
    for path in inner:
        try:
            yield from _homes(path, depth - 1, left)
        except OSError:
            continue


class Places:
    """Searches below the `roots`, at most every ten seconds."""

    def __init__(self, roots: Callable[[], Sequence[Root]]) -> None:
        self._roots = roots
        self._lock = threading.Lock()
        self._until = 0.0
        self._found = Found()

    def found(self) -> Found:
        with self._lock:
            if time.monotonic() >= self._until:
                roots = dict.fromkeys(self._roots())
                self._found = joined([find_in_time(root, self._found) for root in roots])
                self._until = time.monotonic() + _SECONDS
            return self._found
