"""The demonstration from a topic into a database, its parts in this process: servers, orders, report, archive, flipped
cell, repair. `make demo SOURCE=kafka SINK=postgres` runs the whole, with Airflow and a kill, in some minutes.

Covers airflow_nrt/demo/sources. Covers airflow_nrt/demo/sinks.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import fetched
from airflow_nrt.demo import example_dags
from airflow_nrt.demo.generator import SHOPS
from airflow_nrt.demo.play import MIDNIGHT
from airflow_nrt.demo.scene import Scene
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.servers import postgresql
from airflow_nrt.demo.sinks.files import FilesSink
from airflow_nrt.demo.sinks.postgres import PostgresSink
from airflow_nrt.demo.sources.files import FilesSource
from airflow_nrt.demo.sources.kafka import KafkaSource
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.outline import Outline
from airflow_nrt.sql.load import load_report
from tests.servers.installed import missing

DAY = ("--rows", "3000", "--seconds", "1")
PATIENCE = 400
"""Seconds for two verifications, each in a Java of its own, beside whatever else this machine tests."""


@pytest.fixture
def place() -> Iterator[Path]:
    """As the demonstration makes it: the user of PostgreSQL can't enter the directories of pytest."""
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-demo-") as name:
        yield Path(name)


@pytest.fixture
def scene(place: Path) -> Iterator[Scene]:
    """Both servers, running."""
    scene = Scene(place, example_dags(), KafkaSource(place), PostgresSink(place))
    try:
        scene.check()
        scene.source.fetch(None)
    except InputError as wrong:
        missing(str(wrong))
    if not all(map(fetched, ("kafka", "postgresql"))):
        missing("jars of connectors are not here: airflow-nrt prepare kafka postgresql")
    scene.data.mkdir()
    scene.copy_examples()
    try:
        for endpoint in (scene.source, scene.sink):
            endpoint.start(scene.mark)
        yield scene
    finally:
        for endpoint in (scene.source, scene.sink):
            endpoint.stop()
        assert not scene.sink.pids and not any(map(psutil.pid_exists, scene.source.pids))


@pytest.mark.slow
@pytest.mark.server
@pytest.mark.thorough
def test_the_day_from_a_topic_into_a_database(spark, scene: Scene) -> None:
    started: list[subprocess.Popen[str]] = []

    def child(command: list[str], **streams: Any) -> subprocess.Popen[str]:
        started.append(scene.child(command, **streams))
        return started[-1]

    with scene.source.arriving(child, *DAY):
        assert [process.wait(60) for process in started] == [0, 0]
    plan = load_report(scene.report, scene.settings)
    home = Home.create(scene.home.path, plan)
    curve = scene.sink.curve(home, Outline.of(plan))
    assert curve.values() == []

    Runner(spark, plan, home, available_now=True).run()
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.windows == len(curve.values()) > 130
    ((last, buyers), *_) = curve.values()[::-1]
    of_shops = [row.buyers for shop in range(1, SHOPS + 1) if (row := scene.sink.row(home, shop, MIDNIGHT))]
    assert last == MIDNIGHT and buyers == sum(of_shops) > 1000

    with scene.source.archives(scene.verify) as archives, scene.sink.flip(home, scene.verify, Screen()) as flipped:
        flip = flipped(PATIENCE)
        (archive,) = archives(PATIENCE)
    assert flip.is_found
    assert archive["is_equal"] and archive["equal"] == 3000
    backfill(spark, plan, home, Interval(MIDNIGHT - 86_400_000, MIDNIGHT), check=False)
    assert verify(spark, plan, home).is_proven


@pytest.mark.parametrize("source", [FilesSource, KafkaSource])
@pytest.mark.parametrize("sink", [FilesSink, PostgresSink])
def test_any_source_goes_with_any_sink(place: Path, source: type, sink: type) -> None:
    scene = Scene(place, example_dags(), source(place), sink(place))
    scene.copy_examples()
    plan = load_report(scene.report, scene.settings)
    (read,), (insert,) = plan.sources, plan.inserts
    assert (read.is_archived, insert.sink.name) == (source is KafkaSource, "orders_curve")
    if source.example == sink.example:
        assert scene.report.read_text() == (example_dags() / "reports" / scene.report.name).read_text()


def test_a_machine_without_postgresql_is_named_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.setattr(postgresql, "DEBIANS", place)
    with pytest.raises(InputError, match=r"PostgreSQL is not on this machine: `apt-get install postgresql`"):
        Scene(place, example_dags(), FilesSource(place), PostgresSink(place)).check()
    assert not any(place.iterdir())
