"""The table of a changed report: readers see what one generation has published, or the other, and nothing between."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import FencedError, InputError
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.faults import TAKING_OVER
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.rebuild import change_of
from airflow_nrt.engine.sinks.jdbc import jdbc
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import plan_of_home
from tests.engine.fault_points import watch_points
from tests.engine.rebuilds import Died, rebuild, run
from tests.engine.sinks.jdbc.reports import COUNTS, arrive, report
from tests.engine.sinks.kept import kept, put_back
from tests.servers.fixtures import Server

__all__ = ["kept"]

DEAR = COUNTS.replace("GROUP BY", "WHERE price > 4 GROUP BY")
"""Fewer rows, and a window that has none."""
TIMES = ("10:01:00", "10:12:00", "10:24:00", "10:35:00", "10:41:00", "11:32:00")


def rows(server: Server, table: str) -> list[list[str]]:
    return server.query(f"SELECT shop, window_end, n, gmv FROM {table} ORDER BY window_end, shop")


def started(spark: SparkSession, server: Server, place: Path, table: str) -> list[list[str]]:
    """A stream has published; the rows of its table."""
    for n, at in enumerate(TIMES):
        arrive(place, str(n), (1, n, at), (2, 9 - n, at))
    assert run(spark, report(place, server.url, table), place / "home") == "finished"
    server.query(f"CREATE VIEW seen_{table} AS SELECT * FROM {table}")
    return rows(server, table)


def test_readers_see_one_generation_or_the_other(
    spark: SparkSession, server: Server, tmp_path: Path, kept: Path
) -> None:
    before = started(spark, server, tmp_path, "changed")
    over, seen = threading.Event(), list[list[list[str]]]()
    waited: list[float] = []

    def poll() -> None:
        while not over.is_set():
            began = time.monotonic()
            seen.append(rows(server, "seen_changed"))
            waited.append(time.monotonic() - began)
            time.sleep(0.05)

    reader = threading.Thread(target=poll)
    reader.start()
    plan = report(tmp_path, server.url, "changed", query=DEAR)
    home = Home.open(tmp_path / "home")
    try:
        assert rebuild(spark, plan, tmp_path / "home") == "finished"
    finally:
        over.set()
        reader.join()
    after = rows(server, "changed")
    assert after != before and {str(one) for one in seen} == {str(before), str(after)}
    assert verify(spark, plan, Home.open(tmp_path / "home"), Interval()).is_proven
    # A driver of the generation before that was held up.
    put_back(kept, home)
    log = home.log()
    last = next(entry for entry in log.backwards() if entry.published)
    with pytest.raises((FencedError, InputError), match="another home publishes to table changed"):
        publish_entry(spark, home, report(tmp_path, server.url, "changed"), last)
    assert rows(server, "changed") == after


@pytest.mark.parametrize("point", TAKING_OVER["jdbc"])
def test_a_driver_dies_while_it_takes_over(
    spark: SparkSession, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    table = point.replace("-", "_")
    before = started(spark, server, tmp_path, table)

    def die(name: str) -> None:
        if name == point:
            raise Died

    plan = report(tmp_path, server.url, table, query=DEAR)
    with monkeypatch.context() as patch:
        watch_points(patch, die)
        with pytest.raises(Died):
            rebuild(spark, plan, tmp_path / "home")
    found = rows(server, table)
    assert (found == before) is (point != "takeover-claimed")
    assert run(spark, plan, tmp_path / "home") == "finished"
    assert rows(server, table) != before
    assert verify(spark, plan, Home.open(tmp_path / "home"), Interval()).is_proven
    names = server.query(f"SELECT table_name FROM information_schema.tables WHERE table_name LIKE '{table}_nrt_%'")
    assert [server.query(f"SELECT COUNT(*) FROM {name}") for (name,) in names] == [[["0"]]] * len(names)


def test_a_database_that_is_away_is_taken_over_later(
    spark: SparkSession, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home is that of the changed report already."""
    before, times = started(spark, server, tmp_path, "away"), list[int]()
    take_over = jdbc.take_over

    def away(*given: Any) -> None:
        times.append(Home.open(tmp_path / "home").generation)
        if len(times) == 1:
            assert rows(server, "away") == before
            raise UnreachableError("the database is away")
        take_over(*given)

    monkeypatch.setattr(jdbc, "take_over", away)
    plan = report(tmp_path, server.url, "away", query=DEAR)
    assert rebuild(spark, plan, tmp_path / "home") == "finished"
    assert times == [2, 2] and rows(server, "away") != before
    assert verify(spark, plan, Home.open(tmp_path / "home"), Interval()).is_proven


def test_a_report_whose_rows_are_not_found_by_windows_is_refused(
    spark: SparkSession, server: Server, tmp_path: Path
) -> None:
    columns, query = "shop INT, price INT", "SELECT shop, price FROM orders"
    arrive(tmp_path, "0", (1, 5, "10:01:00"))
    assert run(spark, report(tmp_path, server.url, "unwindowed", columns, query), tmp_path / "home") == "finished"
    changed = report(tmp_path, server.url, "unwindowed", columns, f"{query} WHERE price > 1")
    with pytest.raises(InputError, match="table curve: its rows are not found by the end of their windows"):
        change_of(Home.open(tmp_path / "home"), changed, plan_of_home)
