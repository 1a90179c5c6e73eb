"""The history of a table of Iceberg: the snapshots from its current one back, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlparse

from pyspark.sql.types import StructType

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.lakehouse.history import DELETES, OVERWRITES, TableHistory, Version
from airflow_nrt.engine.spark.lakehouse.iceberg_catalog import IcebergPlace

_NOTHING = 0
"""The number of a table that has no snapshot."""
_LOST = "keep the snapshots of the table for longer"


class IcebergHistory(TableHistory):
    def _load(self) -> Any:
        place = IcebergPlace(self.spark, self.table)
        if not place.exists():
            raise InputError(f"table {self.table.name!r}: there is no table {place.name} in its catalog")
        found = place.load()
        self._check(found)
        return found

    def _check(self, found: Any) -> None:
        """A file has the names that its columns had when it was written."""
        names: dict[int, str] = {}
        for schema in found.schemas().values():
            for column in schema.columns():
                if names.setdefault(column.fieldId(), column.name()) != column.name():
                    raise self.unfit(f"a column that was renamed ({names[column.fieldId()]} to {column.name()})")

    def schema(self) -> StructType:
        self._load()
        return self.spark.table(IcebergPlace(self.spark, self.table).sql_name).schema

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """None: a file has all columns of its rows."""
        return ()

    def newest(self) -> int:
        current = self._load().currentSnapshot()
        return _NOTHING if current is None else int(current.snapshotId())

    def at(self, number: int) -> Version:
        if number == _NOTHING:
            return Version(_NOTHING, ())
        found = self._load()
        return self._whole(found, self._snapshot(found, number))

    def only(self, number: int) -> Version:
        found = self._load()
        return self._version(found, self._snapshot(found, number))

    def _snapshot(self, found: Any, number: int) -> Any:
        there = found.snapshot(number)
        if there is None:
            raise self.lost(f"snapshot {number} is", _LOST)
        return there

    def _whole(self, found: Any, snapshot: Any) -> Version:
        files = []
        tasks = found.newScan().useSnapshot(snapshot.snapshotId()).planFiles()
        try:
            for task in _each(tasks):
                if task.deletes().size():
                    raise self.unfit("rows that were deleted without writing their files anew (merge-on-read)")
                files.append(self._local(task.file()))
        finally:
            tasks.close()
        return Version(snapshot.snapshotId(), tuple(sorted(files)))

    def after(self, number: int) -> Sequence[Version]:
        found, newer = self._load(), list[Any]()
        one = found.currentSnapshot()
        at = _NOTHING if one is None else one.snapshotId()
        while at != number:
            if one is None:
                raise self.lost(f"what follows snapshot {number} is", _LOST)
            newer.append(one)
            at = _NOTHING if one.parentId() is None else one.parentId()
            one = None if at == _NOTHING else found.snapshot(at)
        return [self._version(found, one) for one in reversed(newer)]

    def _version(self, found: Any, snapshot: Any) -> Version:
        number, files = snapshot.snapshotId(), found.io()
        if snapshot.operation() == "replace":
            return Version(number, ())
        added = tuple(map(self._local, _each(snapshot.addedDataFiles(files))))
        if any(True for of in (snapshot.removedDataFiles, snapshot.addedDeleteFiles) for _ in _each(of(files))):
            return Version(number, (), OVERWRITES if added else DELETES)
        return Version(number, added)

    def _local(self, file: Any) -> str:
        if str(file.format()) != "PARQUET":
            raise self.unfit(f"files of {file.format()}")
        return urlparse(str(file.location())).path


def _each(things: Any) -> Iterable[Any]:
    """The elements of an iterable of Java."""
    found = things.iterator()
    while found.hasNext():
        yield found.next()
