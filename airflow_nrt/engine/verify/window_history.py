"""Who made windows wrong: the commit of others after the last version of their table in which they were right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from airflow_nrt.describe.table_history import TableCommit, WindowHistory, changed, published_so, untold
from airflow_nrt.engine.sinks.table_versions import VersionCommit

LOOKED_AT, WALKED = 20, 1000
"""Versions in which windows are compared, and commits of which the log is read, for one insert."""
Ends = Set[int | None]
Wrong = Callable[[int, Ends], Ends]
"""Those of these windows that are wrong in a version."""


def histories(
    commits: Iterator[VersionCommit] | None, published: Mapping[int | None, int], wrong: Wrong
) -> dict[int | None, WindowHistory]:
    """The history of each window that is wrong; `published` are the log entries of their last versions, by their ends.

    `commits` are those of the table, from the newest one that is verified backwards; without any there is no history. A
    commit of the home changes no window of another entry, so windows are compared only in versions before commits of
    others: those that say that they change rows, and, where these explain nothing, also compactions.
    """
    if commits is None:
        return {}
    walk = _Walk(dict(published), wrong)
    for n, commit in enumerate(commits):
        if not walk.open or n == WALKED or walk.looks >= LOOKED_AT:
            break
        try:
            walk.pass_by(commit)
        except (PySparkException, Py4JJavaError):
            return walk.ended(f"files of version {walk.looked_at} are gone")
    return walk.ended("the table has no history" if walk.last is None else f"it is so since {walk.last} at least, and "
                      "no older one was read")  # fmt: skip


class _Walk:
    """A walk from a version in which windows are wrong backwards, commit by commit.

    `open` are the windows that no commit explains yet, with the log entries that published them.
    """

    def __init__(self, open_ends: dict[int | None, int], wrong: Wrong) -> None:
        self.open = open_ends
        self.looks = 0
        self.looked_at: int | None = None
        self.last: TableCommit | None = None
        self._wrong = wrong
        self._found: dict[int | None, WindowHistory] = {}
        self._compactions: list[VersionCommit] = []

    def pass_by(self, commit: VersionCommit) -> None:
        """Explains what this commit, or a compaction after it, has changed."""
        self.last = commit.made
        if commit.entry is not None:
            here = {end for end, entry in self.open.items() if entry >= commit.entry}
            # Where they are right in the version of the home, a compaction after it has changed them.
            still = self._blame_compactions(here, commit.made.version)
            self._explain({end: published_so(commit.made, commit.entry) for end in still})
        elif commit.before is None:
            return
        elif commit.changes_rows:
            right = self.open.keys() - self._look(commit.before, self.open.keys())
            still = self._blame_compactions(right, commit.made.version)
            self._explain({end: changed(commit.made, commit.before) for end in still})
        else:
            self._compactions.append(commit)

    def ended(self, why: str) -> dict[int | None, WindowHistory]:
        return {**self._found, **dict.fromkeys(self.open, untold(why))}

    def _blame_compactions(self, ends: Ends, version: int) -> Ends:
        """Explains those of these windows that are right in a version, before all compactions that were passed by.

        Gives the others.
        """
        if not ends or not self._compactions:
            return ends
        still = self._look(version, ends)
        left = ends - still
        for one in self._compactions:
            if not left or self.looks >= LOOKED_AT or one.before is None:
                break
            right = left - self._look(one.before, left)
            self._explain({end: changed(one.made, one.before) for end in right})
            left = left - right
        return still

    def _look(self, version: int, ends: Ends) -> Ends:
        self.looks += 1
        self.looked_at = version
        return self._wrong(version, ends)

    def _explain(self, found: Mapping[int | None, WindowHistory]) -> None:
        self._found |= found
        self.open = {end: entry for end, entry in self.open.items() if end not in found}
