"""The versions of a table of Iceberg: the snapshots that its main branch has had.

A mark is a property of the table, which has no history. So the last snapshot of a commit has it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from airflow_nrt.describe.table_history import TableCommit
from airflow_nrt.engine.sinks.lakehouse.lake_table import Mark
from airflow_nrt.engine.sinks.table_versions import TableVersions, VersionCommit

_WRITER, _ENTRY = "airflow-nrt.writer", "airflow-nrt.entry"
_OTHERS = (
    "added-",
    "airflow-nrt.",
    "app-id",
    "changed-",
    "created-",
    "deleted-",
    "engine-",
    "entries-",
    "iceberg-",
    "kept-",
    "manifests-",
    "partition",
    "removed-",
    "replaced-",
    "spark.",
    "total-",
)
"""What the names begin with of that which Iceberg and this product note in a snapshot."""


def in_snapshot(mark: Mark) -> dict[str, str]:
    """What a snapshot notes of the mark of its commit."""
    return {_WRITER: mark.writer, _ENTRY: str(mark.entry)}


def iceberg_versions(table: Any, marked: int | None, writer: str) -> TableVersions | None:
    """`marked` is the entry by the table's property. None if the table has no snapshot."""
    current = table.currentSnapshot()
    if current is None:
        return None
    return TableVersions(int(current.snapshotId()), marked, lambda: _commits(table, writer))


def _commits(table: Any, writer: str) -> Iterator[VersionCommit]:
    # Those of branches are not in here, so a window that is replaced is one version.
    log = [(int(one.snapshotId()), int(one.timestampMillis())) for one in table.history()]
    for n in range(len(log) - 1, -1, -1):
        version, at = log[n]
        snapshot, before = table.snapshot(version), log[n - 1][0] if n else None
        if snapshot is None:
            return
        summary = dict(snapshot.summary())
        if any(earlier == version for earlier, _ in log[:n]):
            yield VersionCommit(TableCommit(version, at, "rollback", _note(summary)), before, None, True)
            continue
        entry = int(summary[_ENTRY]) if summary.get(_WRITER) == writer else None
        made = TableCommit(version, at, str(snapshot.operation()), _note(summary))
        yield VersionCommit(made, before, entry, _changes_rows(table, snapshot, before))


def _changes_rows(table: Any, snapshot: Any, before: int | None) -> bool:
    """Whether one of the snapshots after `before` does more than put rows into other files."""
    while snapshot is not None and snapshot.snapshotId() != before:
        if snapshot.operation() != "replace":
            return True
        snapshot = None if snapshot.parentId() is None else table.snapshot(snapshot.parentId())
    return False


def _note(summary: Mapping[str, str]) -> str:
    given = {name: text for name, text in summary.items() if not name.startswith(_OTHERS)}
    return ", ".join(f"{name}={text}" for name, text in sorted(given.items()))
