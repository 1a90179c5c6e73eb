"""A driver that is killed with a new version of a dimension table: what no entry names is no version of any row."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import UNNAMED_VERSIONS_MS
from airflow_nrt.sql.load import load_report
from tests.engine.dimensions.reports import (
    ENRICHED,
    ORDERS,
    PLACED,
    REGIONS,
    report,
    shops_table,
    write_orders,
    write_shops,
)
from tests.engine.drivers import Driver, Place
from tests.engine.reports import rows_of
from tests.engine.shared_java import SharedJava

pytestmark = pytest.mark.process


@pytest.mark.slow
def test_killed_with_a_version_that_no_entry_names(spark, java: SharedJava, tmp_path: Path) -> None:
    place = Place(tmp_path, tmp_path / "own")
    script = "\n".join((ORDERS, shops_table(), ENRICHED, PLACED, REGIONS)).replace("${DATA}", "${OUT}")
    place.report.write_text(script)
    write_shops(place.own, {1: "north", 2: "south"})
    write_orders(place.own, "1", (1, 1, 10, 0), (2, 2, 20, 1))
    assert place.run(spark) == "finished"
    named = {one.name for one in place.home.dimensions.local.iterdir()}
    write_shops(place.own, {1: "lost", 2: "south"}, at=2)
    write_orders(place.own, "2", (3, 1, 30, 12))
    driver = Driver(place, "kill:absorb-written", java)
    try:
        driver.wait_until(driver.is_over)
        assert driver.process.returncode == -signal.SIGKILL, driver.output.read_text()[-3000:]
    finally:
        driver.end()
    orphans = {one.name for one in place.home.dimensions.local.iterdir()} - named
    assert len(orphans) == 2, "the files, and what names them"
    write_shops(place.own, {1: "east", 2: "south"}, at=3)
    before = time.time() - UNNAMED_VERSIONS_MS / 1000 - 60
    for orphan in orphans:
        os.utime(place.home.dimensions.local / orphan, (before, before))
    assert place.run(spark) == "finished"
    assert rows_of(place.own / "enriched") == [(1, "north"), (2, "south"), (3, "east")]
    assert not orphans & {one.name for one in place.home.dimensions.local.iterdir()}
    plan = load_report(place.report, {"OUT": str(place.own)})
    assert verify(spark, plan, place.home).is_proven


def test_a_table_that_is_missing_at_the_start(spark, tmp_path: Path) -> None:
    """It is an error before anything of the report is written."""
    write_orders(tmp_path, "1", (1, 1, 10, 0))
    plan = report(tmp_path, ENRICHED)
    runner = Runner(spark, plan, Home.create(tmp_path / "home", plan), available_now=True)
    began = time.monotonic()
    with pytest.raises(InputError, match=r"table 'shops' can't be looked up: the source directory .* does not exist"):
        runner.run()
    assert time.monotonic() - began < 10
    assert not list((tmp_path / "home" / "log").iterdir()) and not (tmp_path / "enriched").exists()
