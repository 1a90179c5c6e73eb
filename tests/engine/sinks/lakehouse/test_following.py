"""A table follows the log, entry by entry: also one that publishes nothing, and removes windows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql.types import StructType

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.basics.errors import RetainedError
from airflow_nrt.engine.sinks.lakehouse.following import follow
from airflow_nrt.engine.sinks.lakehouse.lake_table import LakeTable, Mark
from airflow_nrt.engine.sinks.lakehouse.ownership import OWNER, SINCE
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, Position, SourceState, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.plan import Insert
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes
from tests.sample import INSERT, ORDERS, plan_of

__all__ = ["short_volumes"]
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
        self.owned: dict[str, str] = {OWNER: home.identity().id, SINCE: str(home.log().last)}
        self.commits: list[tuple[object, str, Mark]] = []

    def schema(self) -> StructType:
        return StructType().add("window_end", "timestamp_ntz")

    def properties(self) -> Mapping[str, str]:
        return self.owned

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


class Marked(Kept):
    """One that has the results up to an entry."""

    mark = -1

    def published(self, writer: str) -> int | None:
        return max([self.mark, *(mark.entry for *_, mark in self.commits)])


def test_a_table_that_lacks_what_is_removed_is_named_with_the_way_out(tmp_path: Path) -> None:
    plan = plan_of(ORDERS + CURVE + INSERT, base=tmp_path)
    long = LongHome(tmp_path).of(plan)
    for n in range(3 * VOLUME):
        gone = (f"curve/{n * HOUR}",) if n == 5 else ()
        long.append(Tick((), n, Position({"orders": SourceState(n, files=n + 1)}), gone))
    long.keep_up()
    assert long.retain().first == 2 * VOLUME
    table = Marked(plan.inserts[0], long.home)
    table.owned[SINCE] = "-1"
    last = long.append_and_give(Tick((), 0, Position(), (f"curve/{HOUR}",)))

    table.mark = 4
    lacks = "table curve has its results up to log entry 4, and lacks those of entry 6: .*let a backfill publish"
    with pytest.raises(RetainedError, match=lacks):
        follow(cast(LakeTable, table), long.home, last)
    assert not table.commits

    # None of the others that are removed was of this table.
    table.mark = 6
    follow(cast(LakeTable, table), long.home, last)
    assert [mark.entry for *_, mark in table.commits] == [last.n]
