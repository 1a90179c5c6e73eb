"""A file of state whose rows lie hours apart: windows between them come due while nothing of the file closes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.oracle import Windowing, count_in
from tests.engine.reports import DAY, FEW, HOUR, Stream, curve_insert, events_table, plan_of, random_events, rows_of


@pytest.mark.parametrize(
    "windowing",
    [Windowing("CUMULATE", DAY, HOUR), Windowing("HOP", 6 * HOUR, HOUR)],
    ids=str,
)
def test_windows_in_a_gap(spark, tmp_path: Path, windowing: Windowing) -> None:
    table = events_table().replace("INTERVAL '5' MINUTES", "INTERVAL '12' HOURS")
    plan = plan_of(tmp_path, table, curve_insert(windowing.sql, FEW))
    batches = [
        [*random_events(1, 10, HOUR, start=20 * HOUR), *random_events(2, 10, HOUR, start=37 * HOUR)],
        random_events(3, 10, HOUR, start=38 * HOUR),
        random_events(4, 10, HOUR, start=39 * HOUR),
    ]
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches)
    assert len(stream.entries) > 3
    stream.end()
    assert rows_of(tmp_path / "curve") == count_in(windowing, batches, FEW)
