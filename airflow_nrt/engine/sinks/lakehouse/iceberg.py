"""A table of Iceberg. A commit is prepared in a branch; then one change of metadata moves the table there and marks it.

Iceberg rejects no commit because of a mark. It does refuse to replace metadata that are not the newest, and to move a
table to a branch that began elsewhere. So an entry is published once, and what others write meanwhile is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.java.objects import elements
from airflow_nrt.engine.sinks.lakehouse.iceberg_versions import iceberg_versions, in_snapshot
from airflow_nrt.engine.sinks.lakehouse.lake_table import CHANGES, LakeTable, Mark
from airflow_nrt.engine.sinks.table_versions import TableVersions
from airflow_nrt.engine.spark.lakehouse.iceberg_catalog import IcebergPlace
from airflow_nrt.engine.spark.query_frames import named
from airflow_nrt.engine.spark.temporary_settings import setting
from airflow_nrt.model.plan import Insert

_MAIN = "main"
_NOTED = "spark.sql.iceberg.snapshot-property"
_RACES = ("CommitFailedException", "Cannot fast-forward", "does not exist")


class IcebergTable(LakeTable):
    def __init__(self, spark: SparkSession, insert: Insert) -> None:
        super().__init__(spark, insert)
        self._place = IcebergPlace(spark, insert.sink)

    @property
    def name(self) -> str:
        return self._place.name

    @property
    def sql_name(self) -> str:
        return self._place.sql_name

    def schema(self) -> StructType | None:
        return self.rows().schema if self._place.exists() else None

    def create(self, columns: str, properties: Mapping[str, str]) -> None:
        keys = self.insert.sink.partition_keys
        parts = f" PARTITIONED BY ({', '.join(map(quote, keys))})" if keys else ""
        listed = ", ".join(f"{string_literal(name)} = {string_literal(text)}" for name, text in properties.items())
        self.spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self.sql_name} ({columns}) USING iceberg{parts} TBLPROPERTIES ({listed})"
        )

    def properties(self) -> Mapping[str, str]:
        return dict(self._place.load().properties())

    def set_properties(self, properties: Mapping[str, str]) -> None:
        change = self._place.load().updateProperties()
        for name, text in properties.items():
            change.set(name, text)
        change.commit()

    def remove_properties(self, names: Iterable[str]) -> None:
        change = self._place.load().updateProperties()
        for name in names:
            change.remove(name)
        change.commit()

    def published(self, writer: str) -> int | None:
        return _marked(self._place.load(), writer)

    def past(self, writer: str) -> TableVersions | None:
        if not self._place.exists():
            return None
        table = self._place.load()
        return iceberg_versions(table, _marked(table, writer), writer)

    def rows(self, version: int | None = None) -> DataFrame:
        if version is None:
            return self.spark.table(self.sql_name)
        return self.spark.sql(f"SELECT * FROM {self.sql_name} VERSION AS OF {version}")

    def append(self, rows: DataFrame, mark: Mark) -> None:
        self._commit(mark, lambda branch: _append(rows, branch, mark))

    def replace(self, rows: DataFrame | None, condition: str, mark: Mark) -> None:
        def write(branch: str) -> None:
            # Who reads a table as it grows takes a DELETE for a change, also one of no rows.
            if not self.rows().where(condition).isEmpty():
                self.spark.sql(f"DELETE FROM {branch} WHERE {condition}")
            # Also no rows: this snapshot has the mark, for a verification.
            _append(self.rows().where("false") if rows is None else rows, branch, mark)

        self._commit(mark, write)

    def merge(self, rows: DataFrame, mark: Mark) -> None:
        """MERGE takes what it notes in its snapshot from the settings of the session that it runs in."""
        noted = {f"{_NOTED}.{name}": text for name, text in in_snapshot(mark).items()}
        with named({CHANGES: rows}) as session, setting(session, noted):
            self._commit(mark, lambda branch: session.sql(self.merge_sql(branch)))

    def _commit(self, mark: Mark, write: Callable[[str], object]) -> None:
        """Lets `write` prepare the commit in a branch, by its name in SQL, and makes it the state of the table."""
        branch = f"{_of_writer(mark)}{mark.entry}_{uuid.uuid4().hex}"
        self._place.load().manageSnapshots().createBranch(branch).commit()
        reach("iceberg-branched")
        try:
            write(f"{self.sql_name}.{quote(f'branch_{branch}')}")
            reach("iceberg-written")
            is_mine = self._move(branch, mark)
        except BaseException:
            self._drop(branch)
            raise
        if not is_mine:
            self._drop(branch)

    def _drop(self, branch: str) -> None:
        """Removes a branch if that is possible. If not, the next commit does: the cause is what matters now."""
        with contextlib.suppress(Exception):
            self._place.load().manageSnapshots().removeBranch(branch).commit()

    def _move(self, branch: str, mark: Mark) -> bool:
        """Makes the branch the state of the table, unless another process has published the entry; gives whether it
        did.

        The mark is read from the metadata that this replaces: Iceberg refuses to replace any other.
        """
        change = self._place.load().newTransaction()
        if (_marked(change.table(), mark.writer) or -1) >= mark.entry:
            return False
        moved = change.manageSnapshots().fastForwardBranch(_MAIN, branch)
        for one in _finished(change.table(), mark):
            moved = moved.removeBranch(one)
        moved.commit()
        change.updateProperties().set(mark.writer, str(mark.entry)).commit()
        change.commitTransaction()
        return True

    def files(self) -> int:
        return self.spark.sql(f"SELECT 1 FROM {self.sql_name}.files").count()

    def compact(self) -> None:
        self._call("rewrite_data_files")

    def forget(self, before: int) -> None:
        """Snapshots of branches stay, in which a driver may be preparing a commit."""
        self._call("expire_snapshots", f"older_than => timestamp_millis({before}L)")

    def _call(self, procedure: str, *more: str) -> None:
        catalog, _, table = self.name.partition(".")
        given = ", ".join((f"table => {string_literal(table)}", *more))
        self.spark.sql(f"CALL {quote(catalog)}.system.{procedure}({given})").collect()

    def lost_race(self, failure: Exception) -> bool:
        return any(race in f"{one.kind} {one.message}" for one in chain_of(failure) for race in _RACES)


def _append(rows: DataFrame, branch: str, mark: Mark) -> None:
    writer = rows.writeTo(branch)
    for name, text in in_snapshot(mark).items():
        writer = writer.option(f"snapshot-property.{name}", text)
    writer.append()


def _marked(table: Any, writer: str) -> int | None:
    text = table.properties().get(writer)
    return None if text is None else int(text)


def _of_writer(mark: Mark) -> str:
    """What the names of a writer's branches begin with."""
    return f"nrt_{hashlib.blake2b(mark.writer.encode(), digest_size=6).hexdigest()}_"


def _finished(table: Any, mark: Mark) -> list[str]:
    """The writer's branches of this entry and of older ones, also of processes that were killed."""
    mine = _of_writer(mark)
    names = (str(name) for name in elements(table.refs().keySet()))
    return [name for name in names if name.startswith(mine) and int(name.split("_")[2]) <= mark.entry]
