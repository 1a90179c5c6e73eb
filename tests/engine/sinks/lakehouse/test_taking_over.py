"""The table of a changed report in a lakehouse: one commit has all of its windows."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import FencedError
from airflow_nrt.engine.faults import TAKING_OVER
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from tests.engine.fault_points import watch_points
from tests.engine.rebuilds import Died, rebuild, run
from tests.engine.sinks.jdbc.reports import CURVE, arrive
from tests.engine.sinks.kept import kept, put_back
from tests.engine.sinks.lakehouse.reports import TUMBLED, Format, curve

__all__ = ["kept"]

DEAR = TUMBLED.replace("GROUP BY", "WHERE price > 4 GROUP BY")
"""Fewer rows, and windows that have none."""


def test_one_commit_has_all_windows(
    spark: SparkSession, lake: Format, tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a driver that died before it claimed the table; then the table follows the log."""
    before = lake.plan(tmp_path, "changed", CURVE, TUMBLED)
    for n, at in enumerate(("10:01:00", "10:12:00", "10:24:00", "10:35:00")):
        arrive(tmp_path, str(n), (1, n, at), (2, 9 - n, at))
    assert run(spark, before, tmp_path / "home") == "finished"
    home = Home.open(tmp_path / "home")
    assert [end for end, shop, *_ in curve(spark, before) if shop == 1] == ["10:10", "10:20", "10:30"]
    plan = lake.plan(tmp_path, "changed", CURVE, DEAR)
    points = list(TAKING_OVER[lake.name])

    def die(name: str) -> None:
        if name in points:
            points.remove(name)
            raise Died

    watch_points(monkeypatch, die)
    with pytest.raises(Died):
        rebuild(spark, plan, tmp_path / "home")
    found = curve(spark, plan)
    assert [row[1] for row in found] == [2, 2, 2] and Home.open(tmp_path / "home").generation == 2
    with pytest.raises(Died):
        run(spark, plan, tmp_path / "home")
    assert points == [] and curve(spark, plan) == found
    arrive(tmp_path, "9", (1, 9, "10:36:00"), (1, 8, "11:00:00"))
    assert run(spark, plan, tmp_path / "home") == "finished"
    changed = Home.open(tmp_path / "home")
    assert [row[:2] for row in curve(spark, plan)] == [*(row[:2] for row in found), ("10:40", 1), ("10:40", 2)]
    verdict = verify(spark, plan, changed, Interval())
    assert verdict.is_proven and not verdict.problems
    put_back(kept, home)
    with pytest.raises(FencedError, match="is another home's by now"):
        publish_entry(spark, home, before, next(entry for entry in home.log().backwards() if entry.published))
