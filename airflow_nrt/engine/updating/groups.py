"""State of updating operators: the newest version of each group (or row of a join), in files of the slice store.

A batch rewrites every group that it touches, whole, under one version: the processing time of the batch in
milliseconds, or the version before plus one. So a version also says when a group was last touched, and a group expires
(`'table.exec.state.ttl'`) because old versions are ignored. Merging files removes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.spark.query_frames import same
from airflow_nrt.engine.state.compaction import Files, merge_full_level
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.position.state_kinds import GroupVersions
from airflow_nrt.model.internal_columns import ALIVE

VERSION = SLICE


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
    versions: GroupVersions
    forgotten: int | None
    needed: str | None = None

    def rows(self, touched: DataFrame) -> DataFrame | None:
        """The rows of the groups with these keys. `touched` has each key once. None if there is no state."""
        files = self.versions.after(self.forgotten)
        rows = self.store.read(files.files, self._stored)
        if rows is None:
            return None
        rows = self._remembered(rows)
        if self.keys:
            rows = _of_groups(rows, touched, self.keys)
        return self._newest(rows, files).select(*self.columns)

    def written(self, rows: DataFrame, clock: int) -> Groups:
        """The state with the new rows of these groups; `clock` is the processing time (ms)."""
        version = f"{self.versions.following(clock)}L" if self.needed is None else self.needed
        stored = rows.selectExpr(*map(quote, self.columns), f"{version} AS {VERSION}")
        file = self.store.write(self.operator, stored).file
        remembered = self.versions.after(self.forgotten).files
        grown = remembered if file is None else (*remembered, file)
        return replace(self, versions=GroupVersions(grown))._compacted()

    @property
    def _stored(self) -> tuple[str, ...]:
        return (*self.columns, VERSION)

    def _remembered(self, rows: DataFrame) -> DataFrame:
        return rows if self.forgotten is None else rows.where(f"{VERSION} > {self.forgotten}L")

    def _newest(self, rows: DataFrame, files: GroupVersions) -> DataFrame:
        if self.identity is None:
            return rows
        if not self.identity:
            return rows.where(f"{VERSION} = {files.newest}L")
        if files.are_one_version:
            return rows
        newest = f"max({VERSION}) OVER (PARTITION BY {', '.join(self.identity)}) AS _nrt_newest"
        return rows.selectExpr("*", newest).where(f"{VERSION} = _nrt_newest").drop("_nrt_newest")

    def _compacted(self) -> Groups:
        files = merge_full_level(self.store, self.operator, self.versions.files, self._stored, self._merged)
        return replace(self, versions=GroupVersions(files))

    def _merged(self, rows: DataFrame, files: Files) -> DataFrame:
        versions = GroupVersions(files)
        newest = self._newest(self._remembered(rows), versions)
        if ALIVE in self.columns and self.versions.without(versions).follow(versions):
            # No older version exists that a retracted row would still have to hide.
            return newest.where(ALIVE)
        return newest


def _of_groups(rows: DataFrame, groups: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    """The rows whose keys are among these; NULL equals NULL."""
    return rows.alias("l").join(groups.alias("r"), same(keys), "left_semi")
