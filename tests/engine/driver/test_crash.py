"""kill -9 at every fault point: what readers see is whole windows, and a new driver ends where a clean run ends."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from airflow_nrt.engine.faults import POINTS
from airflow_nrt.home.log.entries import Commit, Tick
from tests.engine.drivers import (
    BATCHES,
    CURVE,
    ONE_OF_EACH_STEP,
    RECENT,
    Driver,
    Outcome,
    Place,
    check_readers,
    fault,
    outcome,
)
from tests.engine.shared_java import SharedJava

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.process]
THOROUGH = pytest.mark.thorough

IN_TURN = {"absorb-begin": 2}
"""Which time a driver reaches the point that kills it: not before a first commit."""


@pytest.fixture(scope="module")
def scene(spark, tmp_path_factory) -> tuple[Place, Outcome]:
    place = Place.make(tmp_path_factory.mktemp("crash"), CURVE, RECENT)
    assert place.run(spark) == "finished"
    return place, outcome(place)


def test_the_clean_run_has_all_that_can_break(scene) -> None:
    place, clean = scene
    entries = list(place.home.log().audit())
    assert sum(isinstance(entry.body, Commit) for entry in entries) == BATCHES
    assert sum(isinstance(entry.body, Tick) and len(entry.published) > 1 for entry in entries) >= 3
    assert clean.position.late > 0
    assert all(clean.rows.values()) and all(clean.state.values())


@pytest.mark.parametrize(
    "points", [pytest.param(ONE_OF_EACH_STEP, id="one of each step"), pytest.param(POINTS, id="all", marks=THOROUGH)]
)
def test_killed_at_every_point_in_turn(
    spark, java: SharedJava, scene: tuple[Place, Outcome], points: tuple[str, ...]
) -> None:
    """Each driver recovers from the one before it, and dies at the next point. The last one's Java ends with it."""
    whole, clean = scene
    place = whole.beside(f"killed at {len(points)}")
    for point in points:
        driver = Driver(place, fault("kill", point, IN_TURN.get(point, 1)), java if point != points[-1] else None)
        try:
            driver.wait_until(driver.is_over)
            text = driver.output.read_text()[-3000:]
            assert driver.process.returncode == -signal.SIGKILL, f"not killed at {point}: {text}"
            driver.wait_until(driver.left_nothing, 30)
        finally:
            driver.end()
        check_readers(spark, place, clean)
    assert place.run(spark) == "finished"
    check_recovered(place, clean)


def check_recovered(place: Place, clean: Outcome) -> None:
    assert outcome(place) == clean
    assert not list(place.home.staged.local.iterdir())
    state = {str(path.relative_to(place.home.path)) for path in place.home.state.local.glob("*/*")}
    assert place.home.log().position().files() <= state
    assert not (Path(place.home.path) / "scratch" / "1").exists()
