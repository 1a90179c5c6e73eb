"""A sink that does not answer holds back nothing but its own results, and gets them once it answers again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.jars import fetched
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.publish.owing import Owing
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Fill, Position, Tick
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.visible import waiting
from airflow_nrt.home.window_events import Completed, read_window_events
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.triggers.alarm import look_at_tables
from airflow_nrt.triggers.window import look_at_windows
from tests.engine.driver_threads import Driver
from tests.engine.reports import HOUR, MINUTE, MORNING, rows_of
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, ORDERS, arrive
from tests.servers.fixtures import Server
from tests.servers.installed import missing
from tests.servers.mariadb import MariaDb
from tests.servers.postgresql import PostgreSql


@pytest.fixture(params=["postgresql", pytest.param("mariadb", marks=pytest.mark.thorough)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """One that a test stops and starts."""
    kind = request.param
    if not fetched(kind):
        missing(f"the driver of {kind} is not here: airflow-nrt prepare {kind}")
    server = (PostgreSql if kind == "postgresql" else MariaDb)(tmp_path / kind).start()
    yield server
    server.stop("immediate")


def two_sinks(place: Path, url: str) -> Plan:
    return plan_script(
        f"""{ORDERS}
        CREATE TABLE curve ({CURVE}) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 'curve',
          'username' = 'app', 'password' = 'secret', 'sink.create-table' = 'true');
        CREATE TABLE files ({CURVE}) WITH ('connector' = 'filesystem', 'path' = 'files', 'format' = 'json');
        INSERT INTO curve {COUNTS};
        INSERT INTO files {COUNTS};""",
        {},
        "orders_curve",
        place,
    )


def end(minute: int) -> int:
    return MORNING + 10 * HOUR + minute * MINUTE


def reached(home: Home) -> dict[str, int | None]:
    """Up to when the windows of each table are visible."""
    return {one.table: one.complete_until for one in look_at_tables(home)[2]}


@pytest.mark.server
def test_a_database_that_is_away_holds_back_no_files(spark: SparkSession, database: Server, tmp_path: Path) -> None:
    plan = two_sinks(tmp_path, database.url)
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00"))
    home = Home.create(tmp_path / "home", plan)
    first = Driver(spark, plan, home)
    first.until(lambda: len(rows_of(tmp_path / "files", "json")) == 1 and first.beat().entry > 1)
    database.stop("immediate")
    arrive(tmp_path, "1", (1, 2, "10:22:00"), (2, 2, "10:23:00"))
    first.until(lambda: len(rows_of(tmp_path / "files", "json")) == 2)
    first.until(lambda: bool(first.beat().owed))
    arrive(tmp_path, "2", (1, 2, "10:31:30"))
    first.until(lambda: len(rows_of(tmp_path / "files", "json")) == 4)
    first.until(lambda: reached(home)["files"] == end(30))
    beat = first.beat()
    assert (beat.error or "").startswith("waiting: ") and "the results of" in str(beat.error)
    assert reached(home)["curve"] == end(10)
    assert look_at_windows(str(home.path)).complete_until == reached(home)["curve"]
    assert len(read_window_events(home, Completed(), "files", -1).ends) == 3
    assert len(read_window_events(home, Completed(), "curve", -1).ends) == 1
    first.end()
    shown = [row for row in standing_at(home.log().audit()) if row.published.insert == "curve"]
    assert [one.end for one in waiting(home, (row.published for row in shown))] == [end(20), end(30)]
    # The next driver begins while the database is away.
    second = Driver(spark, plan, home)
    second.until(lambda: second.beat().owed == {"curve": beat.owed["curve"]} and second.beat().epoch > beat.epoch)
    database.start()
    second.until(lambda: not second.beat().owed and second.beat().error is None)
    rows = database.query("SELECT shop, window_end, n FROM curve ORDER BY window_end, shop")
    assert [(shop, end[11:16], n) for shop, end, n in rows] == [
        ("1", "10:10", "1"),
        ("1", "10:20", "2"),
        ("1", "10:30", "3"),
        ("2", "10:30", "1"),
    ]
    second.end()
    assert not any(home.staged.local.iterdir())
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.windows == 6


@pytest.mark.server
def test_an_input_that_ends_waits_for_its_sink(spark: SparkSession, database: Server, tmp_path: Path) -> None:
    plan = two_sinks(tmp_path, database.url)
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (1, 1, "10:12:00"))
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    database.stop("immediate")
    arrive(tmp_path, "1", (1, 2, "10:22:00"))
    last = Driver(spark, plan, home, available_now=True)
    last.until(lambda: len(rows_of(tmp_path / "files", "json")) == 2 and bool(last.beat().owed))
    assert last.thread.is_alive()
    database.start()
    last.thread.join(60)
    assert last.failure is None and last.beat().state == "finished"
    assert database.query("SELECT COUNT(*) FROM curve") == [["2"]]


def test_a_table_that_is_filled_lacks_what_its_twin_has(tmp_path: Path) -> None:
    owing, insert = Owing(), two_sinks(tmp_path, "jdbc:postgresql://localhost/app").insert("curve")

    def away() -> None:
        raise UnreachableError("it is away")

    fill = Entry(9, "fill", 2, 0, "id", Fill("curve", "files", (), since=3))
    assert not owing.attempt(insert, fill, away)
    assert not owing.attempt(insert, replace(fill, n=10, body=Tick((), 0, Position())), away)
    assert owing.first == {"curve": 3}
