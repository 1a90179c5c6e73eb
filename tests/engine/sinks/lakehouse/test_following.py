"""A table follows the log, entry by entry: also one that publishes nothing, and removes windows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pyspark.sql.types import StructType

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.engine.sinks.lakehouse.following import follow
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable, Mark
from airflow_nrt.engine.sinks.lakehouse.ownership import OWNER, SINCE
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, Position, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.plan import Insert
from tests.sample import INSERT, ORDERS, plan_of

CURVE = """\
CREATE TABLE curve (
    shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), cnt BIGINT, gmv DECIMAL(38, 2)
) WITH ('connector' = 'delta', 'table-path' = 'curve', 'sink.create-table' = 'true');
"""


class Kept:
    """A table that keeps the commits that replace rows, as their number of frames, condition and mark."""

    name = "curve"

    def __init__(self, insert: Insert, home: Home) -> None:
        self.insert = insert
        self.spark = None
        self._owned = {OWNER: home.identity().id, SINCE: str(home.log().last)}
        self.commits: list[tuple[object, str, Mark]] = []

    def schema(self) -> StructType:
        return StructType().add("window_end", "timestamp_ntz")

    def properties(self) -> Mapping[str, str]:
        return self._owned

    def published(self, writer: str) -> int | None:
        return max((mark.entry for *_, mark in self.commits), default=None)

    def replace(self, rows: Any, condition: str, mark: Mark) -> None:
        self.commits.append((rows, condition, mark))


def test_an_entry_that_only_removes_windows(tmp_path: Path) -> None:
    plan = plan_of(ORDERS + CURVE + INSERT, base=tmp_path)
    home = Home.create(tmp_path / "home", plan)
    table = Kept(plan.inserts[0], home)
    writer = Writer.begin(home.log(), Lease("worker", 1, "application"))
    gone = (f"curve/{2 * HOUR}", f"curve/{HOUR}", f"others/{3 * HOUR}")
    removing = writer.append(Tick((), 0, Position(), gone))
    last = writer.append(Tick((), 0, Position(), (f"others/{4 * HOUR}",)))

    follow(cast(LakeTable, table), home, last)
    ends = "TIMESTAMP_NTZ '1970-01-01 01:00:00', TIMESTAMP_NTZ '1970-01-01 02:00:00'"
    ((rows, condition, mark),) = table.commits
    assert (rows, condition, mark.entry) == (None, f"`window_end` IN ({ends})", removing.n)

    follow(cast(LakeTable, table), home, last)
    assert len(table.commits) == 1
