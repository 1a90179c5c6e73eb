"""What an entry of the log decided is published in the end, and nothing that a later entry decided is undone."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.engine.backfill import append_restatement, backfill
from airflow_nrt.engine.verify import Interval
from airflow_nrt.report.entries import Restate
from tests.engine.oracle import Windowing
from tests.engine.reports import FEW, HOUR, MINUTE, MORNING, Stream, curve_insert, events_table, plan_of, random_events

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)


def test_a_removal_survives_a_crash_and_undoes_nothing_later(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 40, 2 * HOUR)])
    first = min((one for entry in stream.entries for one in entry.published), key=lambda one: one.end or 0)
    file = tmp_path / "curve" / first.target
    assert file.exists()
    append_restatement(stream.home.log(), Restate((), (f"curve/{first.target}",), "backfill", {}, 0))
    Stream(spark, plan, tmp_path / "home")
    assert not file.exists()
    backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 30 * MINUTE), check=False)
    Stream(spark, plan, tmp_path / "home")
    assert file.exists()
