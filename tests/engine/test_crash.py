"""kill -9 at every fault point: what readers see is whole windows, and a new driver ends where a clean run ends."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.engine.faults import POINTS
from airflow_nrt.report.entries import Commit, Tick
from tests.engine.drivers import (
    BATCHES,
    Ahead,
    Driver,
    Outcome,
    Place,
    asked_points,
    check_readers,
    fault,
    outcome,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def scene(spark, tmp_path_factory) -> tuple[Place, Outcome]:
    place = Place.make(tmp_path_factory.mktemp("crash"))
    assert place.run(spark) == "finished"
    return place, outcome(place)


@pytest.fixture(scope="module")
def killed(scene, request) -> Iterator[Ahead]:
    """Drivers that have died."""
    drivers = Ahead(scene[0], "kill", asked_points(request), Driver.is_over)
    yield drivers
    drivers.end()


def test_the_clean_run_has_all_that_can_break(scene) -> None:
    place, clean = scene
    entries = list(place.home.log().entries())
    assert sum(isinstance(entry.body, Commit) for entry in entries) == BATCHES
    assert sum(isinstance(entry.body, Tick) and len(entry.published) > 1 for entry in entries) >= 3
    assert clean.position.late > 0
    assert all(clean.rows.values()) and all(clean.state.values())


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(spark, scene, killed, point: str) -> None:
    driver = killed.take(point)
    assert driver.process.returncode == -signal.SIGKILL, driver.output.read_text()[-3000:]
    driver.wait_until(lambda: not driver.remains(), 30)
    check_readers(spark, driver.place, scene[1])
    assert driver.place.run(spark) == "finished"
    check_recovered(driver.place, scene[1])


def test_killed_again_while_it_recovers(spark, scene) -> None:
    """The first driver leaves results that are decided and not published, the second dies having published them."""
    place = scene[0].beside("twice")
    for point in ("tick-after", "recover-rolled"):
        driver = Driver(place, fault("kill", point))
        driver.wait_until(driver.is_over)
        assert driver.process.returncode == -signal.SIGKILL, driver.output.read_text()[-3000:]
    assert place.run(spark) == "finished"
    check_recovered(place, scene[1])


def check_recovered(place: Place, clean: Outcome) -> None:
    assert outcome(place) == clean
    assert not list(place.home.staged.iterdir())
    state = {str(path.relative_to(place.home.path)) for path in place.home.state.glob("*/*")}
    assert place.home.log().position().files() <= state
    assert not (Path(place.home.path) / "scratch" / "1").exists()
