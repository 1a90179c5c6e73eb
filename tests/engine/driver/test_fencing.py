"""A driver freezes at any point, another takes over and goes on, the first wakes up: it can change nothing.

old   lease 1 ── commits ── frozen ·················· wakes ── stops, fenced
new                          lease 2 ── commits ── done
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.faults import POINTS
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.log.entries import Commit
from tests.engine.drivers import CURVE, Driver, Outcome, Place, check_readers, fault, outcome
from tests.engine.shared_java import SharedJava

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.process]

AT = {
    "absorb-begin": 2,
    "absorb-written": 2,
    "absorb-ledger": 2,
    "commit-before": 2,
    "commit-after": 2,
    "fire-closed": 2,
    "fire-staged": 2,
    "tick-before": 2,
    "tick-after": 2,
    "publish-before": 3,
    "publish-between": 3,
    "publish-after": 3,
    "clean-after": 2,
}
"""Which time a point is reached: in the middle of the stream, between two of the windows that one entry publishes."""

FROZEN_AT = ("commit-after", "publish-between")
"""Those that the suite goes through."""


@pytest.fixture(scope="module")
def scene(spark, tmp_path_factory) -> tuple[Place, Outcome]:
    place = Place.make(tmp_path_factory.mktemp("fencing"), CURVE)
    assert place.run(spark) == "finished"
    return place, outcome(place)


@pytest.mark.parametrize(
    "point", [one if one in FROZEN_AT else pytest.param(one, marks=pytest.mark.thorough) for one in POINTS]
)
def test_frozen_at(spark, java: SharedJava, scene: tuple[Place, Outcome], point: str) -> None:
    whole, clean = scene
    place = whole.beside(point)
    driver = Driver(place, fault("stop", point, AT.get(point, 1)), java)
    try:
        driver.wait_until(driver.is_frozen)
        _taken_over(spark, place, driver, clean, point)
        driver.wait_until(driver.left_nothing, 30)
    finally:
        driver.end()


def _taken_over(spark: SparkSession, place: Place, driver: Driver, clean: Outcome, point: str) -> None:
    before = place.home.log().last
    assert place.run(spark) == "finished"
    newer = list(place.home.log().entries(before + 1))
    assert sum(isinstance(entry.body, Commit) for entry in newer) >= 2
    assert outcome(place) == clean

    if point != "lease-before":
        place.add_rows()
    driver.go_on()
    driver.wait_until(driver.is_over, 60)
    text = driver.output.read_text()
    after = list(place.home.log().entries(newer[-1].n + 1))
    if point == "lease-before":
        # It had no lease yet: it is the newer one now, and finds nothing to do.
        assert driver.process.returncode == 0, text[-3000:]
        assert [entry.kind for entry in after] == ["lease"]
    else:
        assert driver.process.returncode == 1, text[-3000:]
        assert "a newer driver (epoch 2) has taken over this home" in text
        assert not after
        beat = read_heartbeat(place.home.heartbeats)
        assert beat is not None and (beat.epoch, beat.state) == (2, "finished")
    assert outcome(place) == clean
    check_readers(spark, place, clean)
