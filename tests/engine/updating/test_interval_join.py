"""Interval joins: rows meet as in any join, and are forgotten once none can come that they meet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.engine.reports import MINUTE, MORNING, Event, Stream, events_table, plan_of, rows_of
from tests.engine.updating.queries import published_in_parquet

NEAR = "p.ts BETWEEN s.ts - INTERVAL '10' MINUTE AND s.ts + INTERVAL '20' MINUTE"


def event(id: int, minute: int) -> Event:
    return Event(id, 1, 1, "a", None, 0.5, MORNING + minute * MINUTE)


def test_rows_meet_in_time_and_are_forgotten(spark, tmp_path: Path) -> None:
    query = f"SELECT s.id AS sale, p.id AS payment FROM sales AS s JOIN payments AS p ON s.shop = p.shop AND {NEAR}"
    sink = "CREATE TABLE pairs (sale BIGINT, payment BIGINT) WITH ('connector' = 'print');"
    tables = (events_table("sales"), events_table("payments"))
    plan = published_in_parquet(plan_of(tmp_path, *tables, sink, f"INSERT INTO pairs {query};"), tmp_path)
    assert plan.updating[0].name == "u1" and plan.inserts[0].key is None
    stream = Stream(spark, plan, tmp_path / "home")
    batches: Sequence[tuple[str, list[Event]]] = [
        ("sales", [event(1, 30), event(2, 40), event(3, 61)]),  # the watermark of sales is 0:56
        ("payments", [event(11, 20), event(12, 41), event(13, 50), event(14, 51)]),  # 0:46 of payments
        ("payments", [event(15, 81), event(16, 200)]),
        ("sales", [event(4, 220)]),
    ]
    kept = []
    for source, rows in batches:
        stream.absorb_batches(tmp_path, [rows], source=source)
        kept.append(sum(file.rows for file in stream.driver.position.updating["u1"]))
    stream.absorb_batches(tmp_path, [[event(5, 221)]], source="sales")
    files = stream.driver.position.updating["u1"]
    assert all(file.last >= MORNING + 195 * MINUTE for file in files)
    met = [(1, 11), (1, 12), (1, 13), (2, 12), (2, 13), (2, 14), (3, 14), (3, 15)]
    assert [row[:2] for row in rows_of(tmp_path / "pairs")] == met
    assert kept[1] == 7 and len(files) <= 3
