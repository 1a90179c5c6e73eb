"""State of updating operators: the newest version of each group (or row of a join), in files of the slice store.

A batch rewrites every group that it touches, whole, under one version: the processing time of the batch in
milliseconds, or the version before plus one. So a version also says when a group was last touched, and a group expires
(`'table.exec.state.ttl'`) because old versions are ignored. Merging files removes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.frames import same
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.compaction import full_level
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.internal_columns import ALIVE

VERSION = SLICE
"""The store keeps the extremes of this column of each file."""


@dataclass(frozen=True)
class Groups:
    """The groups of one operator. `columns` are the stored columns, including the keys.

    Of rows with equal `identity` those of the newest version count; None where nothing is written twice. Versions up to
    `forgotten` have expired; None where nothing expires. `needed` is SQL of the time until which a row is needed, which
    is then its version.
    """

    store: SliceStore
    operator: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    identity: tuple[str, ...] | None
    files: tuple[StateFile, ...]
    forgotten: int | None
    needed: str | None = None

    def rows(self, touched: DataFrame) -> DataFrame | None:
        """The rows of the groups with these keys. `touched` has each key once. None if there is no state."""
        files = self._remembered()
        rows = self._read(files)
        if rows is None:
            return None
        if self.keys:
            rows = _of_groups(rows, touched, self.keys)
        return self._newest(rows, files).select(*self.columns)

    def written(self, rows: DataFrame, clock: int) -> Groups:
        """The state with the new rows of these groups; `clock` is the processing time (ms)."""
        newest = F.lit(max([clock, *(file.last + 1 for file in self.files)]))
        version = newest if self.needed is None else F.expr(self.needed)
        file = self.store.write(self.operator, rows.select(*self.columns, version.alias(VERSION))).file
        grown = replace(self, files=(*self._remembered(), *([file] if file is not None else [])))
        return grown._compacted()

    def _remembered(self) -> tuple[StateFile, ...]:
        return tuple(file for file in self.files if self.forgotten is None or file.last > self.forgotten)

    def _read(self, files: tuple[StateFile, ...]) -> DataFrame | None:
        rows = self.store.read(files, [*self.columns, VERSION])
        if rows is None or self.forgotten is None:
            return rows
        return rows.where(f"{VERSION} > {self.forgotten}L")

    def _newest(self, rows: DataFrame, files: tuple[StateFile, ...]) -> DataFrame:
        if self.identity is None:
            return rows
        if not self.identity:
            return rows.where(f"{VERSION} = {max(file.last for file in files)}L")
        if len(files) == 1 and files[0].first == files[0].last:
            return rows
        newest = f"max({VERSION}) OVER (PARTITION BY {', '.join(self.identity)}) AS _nrt_newest"
        return rows.selectExpr("*", newest).where(f"{VERSION} = _nrt_newest").drop("_nrt_newest")

    def _compacted(self) -> Groups:
        full = tuple(full_level(self.files))
        rows = self._read(full)
        if rows is None:
            return self
        rest = tuple(file for file in self.files if file not in full)
        newest = self._newest(rows, full)
        if ALIVE in self.columns and all(file.first > max(one.last for one in full) for file in rest):
            # No older version exists that a retracted row would still have to hide.
            newest = newest.where(ALIVE)
        merged = self.store.write(self.operator, newest).file
        return replace(self, files=rest if merged is None else (merged, *rest))


def _of_groups(rows: DataFrame, groups: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    """The rows whose keys are among these; NULL equals NULL."""
    return rows.alias("l").join(groups.alias("r"), same(keys), "left_semi")
