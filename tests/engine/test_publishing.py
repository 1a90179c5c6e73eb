"""What an entry of the log decided is published in the end, and nothing that a later entry decided is undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from airflow_nrt.engine.backfill import append_restatement, backfill
from airflow_nrt.engine.verify import Interval
from airflow_nrt.report.entries import Position, Published, Restate, Tick
from airflow_nrt.report.log import Log
from tests.engine.oracle import Windowing
from tests.engine.reports import FEW, HOUR, MINUTE, MORNING, Stream, curve_insert, events_table, plan_of, random_events

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)
VERSIONS = (("complete", "a"), ("late", "a"), ("complete", "b"))


def test_a_removal_survives_a_crash_and_undoes_nothing_later(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 40, 2 * HOUR)])
    first = min((one for entry in stream.entries for one in entry.published), key=lambda one: one.end or 0)
    file = tmp_path / "curve" / first.target
    assert file.exists()
    log = stream.home.log()
    append_restatement(log, Restate((), (f"curve/{first.target}",), "backfill", {}, log.last))
    Stream(spark, plan, tmp_path / "home")
    assert not file.exists()
    backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 30 * MINUTE), check=False)
    Stream(spark, plan, tmp_path / "home")
    assert file.exists()


def test_a_restatement_undoes_nothing_that_the_stream_published_meanwhile(tmp_path: Path) -> None:
    """It was computed from the log up to entry 0, and the stream has gone on since."""
    log = Log(tmp_path)
    old, new, other = (Published("curve", 0, 1, state, 1, state, state, target) for state, target in VERSIONS)
    log.append(Tick((old,), 0, Position()), 1)
    log.append(Tick((new,), 0, Position(), ("curve/c",)), 1)
    restated = replace(old, state="restated")
    entry = append_restatement(log, Restate((restated, other), ("curve/c", "curve/d"), "backfill", {}, 0))
    assert isinstance(entry.body, Restate)
    assert (entry.published, entry.removed) == ((other,), ("curve/d",))
    later = append_restatement(log, Restate((restated,), (), "backfill", {}, 1))
    assert later.published == (restated,)
