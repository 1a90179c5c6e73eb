"""A window in a table of a lakehouse gets the rows of an older version again."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.undo import AskedUndo, undo
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.authors import Author
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import arrive
from tests.engine.sinks.lakehouse.reports import Format, curve

END = MORNING + 10 * HOUR + 10 * MINUTE


def test_late_rows_that_a_backfill_has_counted_go_again(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "undone")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:12:00")), source="orders")
    first = curve(spark, plan)
    stream.absorb(arrive(tmp_path, "1", (1, 3, "10:03:00")), source="orders")
    backfill(spark, plan, stream.home, Interval(END - 10 * MINUTE, END), check=False)
    assert curve(spark, plan) != first
    undo(spark, plan, stream.home, AskedUndo("curve", END, Author("anna", "undo")))
    assert curve(spark, plan) == first
    verdict = verify(spark, plan, stream.home)
    # The late row is in the ledger, and found in the source.
    assert verdict.is_proven and verdict.pinned == 1 and verdict.late_rows == 1
    backfill(spark, plan, stream.home, Interval(END - 10 * MINUTE, END), check=False)
    assert curve(spark, plan) == first
