"""The versions of a table of Delta, by the commits in its log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.describe.table_history import TableCommit
from airflow_nrt.engine.sinks.table_versions import TableVersions, VersionCommit
from airflow_nrt.engine.spark.lakehouse.delta_log import delta_actions, delta_mark


def delta_versions(spark: SparkSession, snapshot: Any, writer: str) -> TableVersions | None:
    """None if there is no table."""
    newest = int(snapshot.version())
    if newest < 0:
        return None
    return TableVersions(newest, delta_mark(snapshot, writer), lambda: _commits(spark, snapshot, newest, writer))


def _commits(spark: SparkSession, snapshot: Any, newest: int, writer: str) -> Iterator[VersionCommit]:
    for version in range(newest, -1, -1):
        actions = delta_actions(spark, snapshot, version)
        if actions is None:
            return
        found: dict[str, Any] = {}
        changes_rows = False
        entry = None
        for action in actions:
            found |= action.get("commitInfo", {})
            files = [action[kind] for kind in ("add", "remove") if kind in action]
            changes_rows = changes_rows or any(one.get("dataChange", True) for one in files)
            if action.get("txn", {}).get("appId") == writer:
                entry = int(action["txn"]["version"])
        made = TableCommit(
            version,
            int(found.get("inCommitTimestamp") or found.get("timestamp") or 0),
            str(found.get("operation", "unknown operation")),
            str(found.get("userMetadata") or ""),
        )
        yield VersionCommit(made, version - 1 if version else None, entry, changes_rows)
