"""The versions of a sink's table: which log entry each has published, and which were made by others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from airflow_nrt.describe.table_history import TableCommit


@dataclass(frozen=True)
class VersionCommit:
    """A commit, and the version `before` it (None if there is none, or none any more).

    `entry` is the log entry that it published, None if others made it. A compaction says that it `changes_rows` of
    nobody.
    """

    made: TableCommit
    before: int | None
    entry: int | None
    changes_rows: bool


@dataclass(frozen=True)
class TableVersions:
    """A table up to its `newest` version; `entry` is the last log entry that this has, None if it has none.

    `commits` are those that made its versions, newest first, as far back as the history of the table goes.
    """

    newest: int
    entry: int | None
    commits: Callable[[], Iterator[VersionCommit]]

    def version_of(self, entry: int) -> int | None:
        """The last version without results of later log entries; None if the history does not tell it any more."""
        if self.entry is None or self.entry <= entry:
            return self.newest
        version: int | None = self.newest
        for commit in self.commits():
            if commit.entry is None:
                continue
            if commit.entry <= entry:
                return version
            version = commit.before
        return None

    def back_from(self, version: int) -> Iterator[VersionCommit]:
        """The commits from that of a version on, backwards."""
        reached = False
        for commit in self.commits():
            reached = reached or commit.made.version == version
            if reached:
                yield commit
