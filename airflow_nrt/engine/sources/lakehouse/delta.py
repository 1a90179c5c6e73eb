"""The history of a table of Delta, as its log has it: one file of JSON for each version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from pyspark.sql.types import StructType

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.lakehouse.history import DELETES, OVERWRITES, TableHistory, Version
from airflow_nrt.engine.spark.lakehouse.delta_log import delta_properties, delta_snapshot
from airflow_nrt.model.connectors.delta import PATH

_MAPPING = "delta.columnMapping.mode"
_LOST = "give the table a longer 'delta.logRetentionDuration'"


class DeltaHistory(TableHistory):
    def _snapshot(self) -> Any:
        """The newest version. Raises InputError if there is none, or if files of it hold more than its rows."""
        snapshot = delta_snapshot(self.spark, self.table)
        if snapshot.version() < 0:
            raise InputError(
                f"table {self.table.name!r}: there is no table of Delta in {self.table.options[PATH]}: correct '{PATH}'"
            )
        self._check_mapping(delta_properties(snapshot))
        features = snapshot.protocol().readerFeatures()
        if features.isDefined() and features.get().contains("deletionVectors"):
            raise self.unfit("deletion vectors")
        return snapshot

    def _check_mapping(self, properties: dict[str, str]) -> None:
        if properties.get(_MAPPING, "none") != "none":
            raise self.unfit("names of columns other than those in its files (column mapping)")

    def schema(self) -> StructType:
        return StructType.fromJson(json.loads(self._snapshot().schema().json()))

    @property
    def partition_keys(self) -> tuple[str, ...]:
        columns = self._snapshot().metadata().partitionColumns()
        return tuple(str(columns.apply(n)) for n in range(columns.length()))

    def newest(self) -> int:
        return int(self._snapshot().version())

    def at(self, number: int) -> Version:
        try:
            rows = self.spark.read.format("delta").option("versionAsOf", number).load(self.table.options[PATH])
            files = rows.inputFiles()
        except Exception as gone:
            raise self.lost(f"version {number} is", _LOST) from gone
        return Version(number, tuple(sorted(map(_local, files))))

    def after(self, number: int) -> Sequence[Version]:
        found = list(self._logged(number + 1))
        newest = found[-1].number if found else number
        if not found and (last := self._snapshot().version()) > newest:
            raise self.lost(f"versions {number + 1} to {last} are", _LOST)
        return found

    def only(self, number: int) -> Version:
        found = next(self._logged(number), None)
        if found is None:
            raise self.lost(f"version {number} is", _LOST)
        return found

    def _logged(self, first: int) -> Iterator[Version]:
        log = Path(self.table.options[PATH]) / "_delta_log"
        while True:
            try:
                text = (log / f"{first:020}.json").read_text(encoding="utf-8")
            except FileNotFoundError:
                return
            yield self._version(first, [json.loads(line) for line in text.splitlines() if line])
            first += 1

    def _version(self, number: int, actions: Sequence[dict[str, Any]]) -> Version:
        for one in (action["metaData"] for action in actions if "metaData" in action):
            self._check_mapping(one.get("configuration", {}))
        added, removed = (
            [action[kind] for action in actions if kind in action and action[kind].get("dataChange", True)]
            for kind in ("add", "remove")
        )
        if removed:
            return Version(number, (), OVERWRITES if added else DELETES)
        return Version(number, tuple(self._placed(one["path"]) for one in added))

    def _placed(self, path: str) -> str:
        return _local(path) if path.startswith(("/", "file:")) else str(Path(self.table.options[PATH]) / unquote(path))


def _local(uri: str) -> str:
    return unquote(urlparse(uri).path)
