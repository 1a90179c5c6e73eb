"""What the history of a table says about a window that has other rows than it should."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.instants import format_instant


@dataclass(frozen=True)
class TableCommit:
    """The commit that made a version of a table: its number (in Iceberg the id of its snapshot), its time (ms, UTC),
    its operation in the words of the format, and the metadata that its author gave it."""

    version: int
    at: int
    operation: str
    note: str = ""

    def __str__(self) -> str:
        noted = f", {self.note!r:.200}" if self.note else ""
        return f"version {self.version} of {format_instant(self.at)} UTC ({self.operation}{noted})"


@dataclass(frozen=True)
class WindowHistory:
    """Since when a window is wrong. `changed_by` is the commit that made it so, `right_in` the version before, the last
    one in which it was right. They are None where nobody changed it, or where the history does not tell: `text` says.
    """

    text: str
    changed_by: TableCommit | None = None
    right_in: int | None = None


def changed(commit: TableCommit, right_in: int) -> WindowHistory:
    """Of a window that a commit has changed."""
    return WindowHistory(f"it was right in version {right_in}; {commit} changed it", commit, right_in)


def published_so(commit: TableCommit, entry: int) -> WindowHistory:
    """Of a window that was wrong when this commit published it, for a log entry."""
    return WindowHistory(f"it has been so since {commit} published it, for log entry {entry}")


def untold(why: str) -> WindowHistory:
    """Of a window whose change is not in the history."""
    return WindowHistory(f"what changed it is not known: {why}")
