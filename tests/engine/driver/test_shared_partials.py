"""Operators that differ in the size of their windows alone share the partials of batches without late rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.driver.shared_partials import are_alike
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.home.log.entries import Commit
from tests.engine.oracle import Windowing, count_in, watermarks_before
from tests.engine.reports import (
    AGGREGATES,
    DAY,
    DELAY,
    FEW,
    HOUR,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
)

SIZES = tuple(Windowing("CUMULATE", size, HOUR) for size in (6 * HOUR, DAY, 2 * DAY))


def test_they_share_what_is_in_time(spark, tmp_path: Path) -> None:
    """Late rows are absorbed by each: they are too late for the first windows, and count in the others."""
    events = random_events(21, 160, 30 * HOUR)
    batches = cut(arriving(events[:80], 21, DELAY), 21, 3) + cut(
        arriving(events[80:], 22, DELAY, late=0.2, lateness=10 * HOUR), 22, 3
    )
    counted = {**FEW, "users": AGGREGATES["users"]}
    plan = plan_of(tmp_path, events_table(), *(curve_insert(one.sql, counted, f"c{n}") for n, one in enumerate(SIZES)))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches[:2])
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches[2:])
    commits = [entry.body for entry in stream.entries if isinstance(entry.body, Commit)]
    shared = [len({state.rows[-1].path for state in one.position.operators.values()}) == 1 for one in commits]
    late = [bool(one.late) for one in commits]
    assert shared == [not one for one in late] and any(late[3:]) and not any(late[:3])
    stream.end()
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows > 0, verdict
    marks = watermarks_before(batches)
    for n, windowing in enumerate(SIZES):
        assert rows_of(tmp_path / f"c{n}") == count_in(windowing, batches, counted, marks), windowing


@pytest.mark.parametrize(
    ("windows", "alike"),
    [
        (("CUMULATE(INTERVAL '1' HOUR, INTERVAL '1' DAY)", "CUMULATE(INTERVAL '1' HOUR, INTERVAL '6' HOUR)"), True),
        (("CUMULATE(INTERVAL '1' DAY, INTERVAL '1' MONTH)", "CUMULATE(INTERVAL '1' DAY, INTERVAL '1' YEAR)"), True),
        (("CUMULATE(INTERVAL '1' DAY, INTERVAL '1' MONTH)", "CUMULATE(INTERVAL '1' DAY, INTERVAL '7' DAY)"), True),
        (("HOP(INTERVAL '1' HOUR, INTERVAL '2' HOUR)", "HOP(INTERVAL '1' HOUR, INTERVAL '6' HOUR)"), True),
        (("HOP(INTERVAL '1' HOUR, INTERVAL '90' MINUTE)", "HOP(INTERVAL '1' HOUR, INTERVAL '6' HOUR)"), False),
        (("HOP(INTERVAL '1' HOUR, INTERVAL '2' HOUR)", "CUMULATE(INTERVAL '1' HOUR, INTERVAL '6' HOUR)"), False),
        (("CUMULATE(INTERVAL '1' HOUR, INTERVAL '1' DAY)", "CUMULATE(INTERVAL '2' HOUR, INTERVAL '1' DAY)"), False),
        (("TUMBLE(INTERVAL '1' HOUR)", "CUMULATE(INTERVAL '1' HOUR, INTERVAL '1' DAY)"), False),
        (("SESSION(INTERVAL '1' HOUR)", "SESSION(INTERVAL '2' HOUR)"), False),
    ],
)
def test_which_are_alike(tmp_path: Path, windows: tuple[str, str], alike: bool) -> None:
    inserts = (curve_insert(one, FEW, f"c{n}") for n, one in enumerate(windows))
    one, other = map(layout_of, plan_of(tmp_path, events_table(), *inserts).operators)
    assert are_alike(one, other) is are_alike(other, one) is alike


def test_other_aggregates_are_not_alike(tmp_path: Path) -> None:
    inserts = (curve_insert(SIZES[n].sql, counted, f"c{n}") for n, counted in enumerate((FEW, AGGREGATES)))
    one, other = map(layout_of, plan_of(tmp_path, events_table(), *inserts).operators)
    assert not are_alike(one, other)
