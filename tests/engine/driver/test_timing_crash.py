"""Drivers that die between early and late results: no version is published twice, none is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.model.result_timing import OutputOptions
from tests.engine.fault_points import watch_points
from tests.engine.timed import Scripted, in_changes, timed_insert, without_key

TIMING = OutputOptions(-10 * MINUTE, 0, None, late_updates=True, last_result=20 * MINUTE)
INSERTS = (
    timed_insert("CUMULATE(INTERVAL '10' MINUTE, INTERVAL '30' MINUTE)", TIMING, "curve"),
    timed_insert("SESSION(INTERVAL '10' MINUTE)", TIMING, "visits"),
    in_changes(timed_insert("TUMBLE(INTERVAL '10' MINUTE)", TIMING, "keyed")),
    without_key(in_changes(timed_insert("SESSION(INTERVAL '10' MINUTE)", TIMING, "pairs"))),
)
BATCHES = (
    [(1, 1, 1), (2, 2, 4)],
    [(1, 2, 12), (1, 3, 13)],
    [(1, 2, 3), (2, 5, 24)],
    [(1, 4, 40)],
)


class Killed(BaseException):
    """Stands for a driver that dies."""


POINTS = ("commit-after", "fire-staged", "publish-between")
"""Rows are in and nothing is emitted; versions are staged and not decided; decided, and half of them visible."""


@pytest.mark.parametrize(
    "killed_at",
    [
        pytest.param(POINTS[1:2], id="one", marks=pytest.mark.thorough),
        pytest.param(POINTS, id="all", marks=pytest.mark.thorough),
    ],
)
def test_no_version_twice_and_none_lost(
    spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_at: tuple[str, ...]
) -> None:
    points: list[str] = []
    watch_points(monkeypatch, points.append)
    clean = run(spark, tmp_path / "clean")
    assert len(clean[0]) >= 12
    for point in killed_at:
        places = [n for n, name in enumerate(points) if name == point]
        at = places[len(places) // 2]
        reached: list[str] = []

        def die(name: str, at: int = at, reached: list[str] = reached) -> None:
            reached.append(name)
            if len(reached) == at + 1:
                raise Killed(name)

        watch_points(monkeypatch, die)
        assert run(spark, tmp_path / point) == clean, point


def run(spark: Any, place: Path) -> tuple[list[tuple[Any, ...]], list[Any]]:
    """All versions in the order of the log, and what a reader sees at the end."""
    scripted = Scripted(spark, place, *INSERTS)
    for n, rows in enumerate(BATCHES):
        try:
            scripted.absorb(*rows)
        except Killed:
            scripted.restart()
            if scripted.stream.driver.position.sources["events"].files <= n:
                (place / "events" / f"{n:03d}.csv").unlink()
                scripted.absorb(*rows)
    try:
        scripted.stream.end()
    except Killed:
        scripted.restart()
        scripted.stream.end()
    versions = [
        (one.insert, one.end, one.state, one.rows)
        for entry in scripted.stream.entries
        for one in sorted(entry.published, key=lambda one: (one.insert, one.end or 0))
    ]
    seen = [scripted.rows(name) for name in ("curve", "visits", "keyed", "pairs")]
    return versions, [sorted(map(str, rows)) for rows in seen]
