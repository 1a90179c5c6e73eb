"""A report with late rows that was streamed honestly, which every test gets whole and may damage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_nrt.engine.spark import tuning
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.history.history import read_history
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    DELAY,
    FEW,
    HOUR,
    Event,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    plan_of,
    random_events,
)
from tests.engine.small_tables import Given


@pytest.fixture(scope="module")
def given(spark, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Given:
    """The rows of queries over two small tables; those that tests of the module have as parameters run together."""
    asked = [item for item in request.session.items if item.path == request.path and "given" in item.fixturenames]
    params = [item.callspec.params for item in asked if hasattr(item, "callspec")]
    queries = [one[name] for one in params for name in ("query", "other_query") if name in one]
    return Given(spark, tmp_path_factory.mktemp("given"), queries)


@pytest.fixture(scope="module")
def several_tasks() -> Iterator[None]:
    """Few rows go through several tasks, as many do: else nothing here would ever lie in two partitions."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "ROWS_OF_A_TASK", 10)
        yield


@pytest.fixture(scope="session")
def java(process: None) -> Iterator[object]:
    """A `SharedJava` for drivers in processes of their own, one at a time."""
    from airflow_nrt.basics.jars import JARS, fetched
    from tests.engine.shared_java import shared_java

    with shared_java(",".join(str(file) for connector in JARS for file in fetched(connector))) as java:
        yield java


@dataclass(frozen=True)
class Streamed:
    """`batches` were absorbed; time stands in the middle of an hour, so that some windows are still to come."""

    place: Path
    plan: Plan
    home: Home
    batches: list[list[Event]]

    @property
    def sink(self) -> Path:
        return self.place / "curve"

    @property
    def standing(self) -> list[Published]:
        """What the log says is published, by window."""
        history = read_history(self.home.log().audit(), self.plan)
        return sorted(history.published.values(), key=lambda one: one.end or 0)

    def file(self, published: Published) -> Path:
        return self.sink / published.target

    def rewrite(self, published: Published, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
        """Replaces a published file by one with other rows."""
        path = self.file(published)
        table = pq.read_table(path)
        pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), table.schema), path)

    def forge(self, n: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Rewrites a log entry."""
        path = self.home.log_directory.local / f"{n}.json"
        entry = json.loads(path.read_text())
        change(entry)
        path.write_text(json.dumps(entry))


@pytest.fixture(scope="package")
def _streamed_once(spark, tmp_path_factory) -> tuple[Streamed, Path]:
    place = tmp_path_factory.mktemp("streamed") / "place"
    plan = plan_of(place, events_table(), curve_insert("CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' HOUR)", FEW))
    batches = cut(arriving(random_events(3, 400, 4 * HOUR - HOUR // 2), 3, DELAY, late=0.1), 3, 6)
    stream = Stream(spark, plan, place / "home")
    stream.absorb_batches(place, batches)
    kept = place.with_name("kept")
    shutil.copytree(place, kept)
    return Streamed(place, plan, stream.home, batches), kept


@pytest.fixture
def streamed(_streamed_once: tuple[Streamed, Path]) -> Iterator[Streamed]:
    one, kept = _streamed_once
    shutil.rmtree(one.place)
    shutil.copytree(kept, one.place)
    yield one
