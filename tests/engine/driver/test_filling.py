"""Windows that a table's twin has lost, got or had restated while an added table is filled from it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import DataError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver import filling
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.entries import Fill, Restate
from airflow_nrt.home.log.fold.checkpoints import write_checkpoints
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.home.status import read_status
from airflow_nrt.home.window_events import Completed, Restated, read_window_events
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_of_home, plan_script
from airflow_nrt.usecases.check import check
from airflow_nrt.usecases.requests.check import CheckRequest
from airflow_nrt.usecases.requests.report import ReportRequest
from tests.engine.reports import MINUTE, MORNING, rows_of, write_lines
from tests.home.short_logs import shorten

ORDERS = """
CREATE TABLE orders (shop STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json', 'source.monitor-interval' = '100 ms');
"""
TABLE = """
CREATE TABLE {name} (shop STRING, window_end TIMESTAMP(3), gmv BIGINT, day STRING, kind STRING) PARTITIONED BY (day)
WITH ('connector' = 'filesystem', 'path' = '{name}', 'format' = '{format}', 'result-state' = 'kind');
INSERT INTO {name} SELECT shop, window_end, SUM(CAST(price AS BIGINT)), DATE_FORMAT(window_end, 'yyyy-MM-dd')
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
"""
BEFORE = ORDERS + TABLE.format(name="curve", format="parquet")
AFTER = BEFORE + TABLE.format(name="added", format="json")
FIRST = MORNING + 10 * MINUTE


def stream(spark: SparkSession, plan: Plan, home: Home) -> str:
    return Runner(spark, plan, home, available_now=True, replan=plan_of_home).run()


def arrive(place: Path, name: str, *orders: tuple[str, int, int]) -> None:
    """A new file of orders: shop, price, minute of the day."""
    lines = (f'{{"shop": "{shop}", "price": {price}, "ts": "2024-06-18 00:{m:02}:00"}}' for shop, price, m in orders)
    write_lines(place / "orders" / f"{name}.json", lines)


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Path:
    """A home with three windows."""
    plan = plan_script(BEFORE, {}, "curves", tmp_path)
    arrive(tmp_path, "0", ("a", 1, 1), ("", 2, 12), ("a", 3, 22), ("b", 1, 23), ("a", 4, 31))
    home = Home.create(tmp_path / "home", plan)
    assert stream(spark, plan, home) == "finished"
    return tmp_path


@pytest.fixture
def home(place: Path) -> Home:
    return Home.open(place / "home")


def windows(place: Path, name: str, kind: str) -> list[tuple[object, ...]]:
    return [(str(end), shop, gmv) for end, shop, gmv in _columns(place, name, kind)]


def _columns(place: Path, name: str, kind: str) -> list[tuple[object, ...]]:
    return sorted((row[1], row[0], row[2]) for row in rows_of(place / name, kind))


def test_what_the_owner_has_removed_is_not_filled(spark: SparkSession, place: Path, home: Home) -> None:
    plan = plan_script(AFTER, {}, "curves", place)
    next((place / "curve").rglob("*-20240618T001000.parquet")).unlink()
    assert stream(spark, plan, home) == "finished"
    assert windows(place, "added", "json") == windows(place, "curve", "parquet")
    (fill,) = (one.body for one in home.log().audit() if isinstance(one.body, Fill))
    assert fill.absent == (FIRST,) and len(fill.published) == 2
    curve, added = verify(spark, plan, home).inserts
    assert curve.unequal_ends == added.unequal_ends == (FIRST,)
    # It is known to be gone: nothing is left to do for the next driver.
    last = home.log().last
    assert stream(spark, plan, home) == "finished"
    assert home.log().last == last + 1


def test_a_window_that_was_damaged_is_not_spread(spark: SparkSession, place: Path, home: Home) -> None:
    plan = plan_script(AFTER, {}, "curves", place)
    first, second = (next((place / "curve").rglob(f"*-20240618T00{m}00.parquet")) for m in ("10", "30"))
    damaged = first.read_bytes()
    first.write_bytes(second.read_bytes())
    with pytest.raises(DataError, match=r"has 2 rows of the window that ends 2024-06-18 00:10:00, and 1 were"):
        stream(spark, plan, home)
    assert rows_of(place / "added", "json") == []
    first.write_bytes(damaged)
    assert stream(spark, plan, home) == "finished"
    assert windows(place, "added", "json") == windows(place, "curve", "parquet")


def test_a_restatement_by_the_report_as_it_was(
    spark: SparkSession, place: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backfill that knows the report without the table restates a window of the twin alone, while it is read."""
    before, plan = (plan_script(one, {}, "curves", place) for one in (BEFORE, AFTER))
    arrive(place, "1", ("a", 10, 2))
    assert stream(spark, before, home) == "finished"
    interval = Interval(MORNING, FIRST)
    points = []

    def reach(point: str) -> None:
        points.append(point)
        if points == ["fill-staged"]:
            backfill(spark, before, home, interval, check=False)

    monkeypatch.setattr(filling, "reach", reach)
    assert stream(spark, plan, home) == "finished"
    assert points == ["fill-staged", "fill-staged", "fill-decided"]
    kinds = [type(one.body) for one in home.log().audit() if isinstance(one.body, (Fill, Restate))]
    assert kinds == [Restate, Fill] and not any(home.staged.local.iterdir())
    assert windows(place, "added", "json") == windows(place, "curve", "parquet")
    assert ("2024-06-18 00:10:00", "a", 11) in windows(place, "added", "json")
    # One that comes later is made good by the next driver.
    backfill(spark, before, home, interval, check=False)
    curve, added = verify(spark, plan, home).inserts
    assert added.pending == curve.pending + 1
    assert stream(spark, plan, home) == "finished"
    assert verify(spark, plan, home).is_proven
    # Each window is complete once, whatever comes after.
    events = [read_window_events(home, kind, "added", -1).ends for kind in (Completed(), Restated())]
    assert [len(ends) for ends in events] == [3, 1]


def test_windows_of_removed_entries_are_not_filled_and_that_is_said(
    spark: SparkSession, place: Path, home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shorten(monkeypatch, 1, 2)
    later = plan_script(BEFORE, {}, "curves", place)
    for n in range(4, 9):
        arrive(place, str(n), ("a", n, 10 * n + 5 - 60 * (n // 6)))
    stream(spark, later, home)
    log = home.log()
    while home.log().first <= 2:
        write_checkpoints(log)
        note_settled(log)
        assert Retention(home, Keep(0, 0), clock=lambda: now_ms() + 1).step(log) or home.log().first > 2
    first = min(one.published.end or 0 for one in standing_at(home.log().audit()) if one.published.end)
    since = format_instant(first)
    report = place / "curves.sql"
    report.write_text(AFTER)
    monkeypatch.chdir(place)
    said = check(CheckRequest(ReportRequest(str(report)), str(home.path)))
    assert any(since in line for line in said.lines), said
    plan = plan_script(AFTER, {}, "curves", place)
    with caplog.at_level(logging.WARNING):
        stream(spark, plan, home)
    assert f"added has windows that end at {since} or later: the log entries that published earlier ones" in caplog.text
    curve, added = windows(place, "curve", "parquet"), windows(place, "added", "json")
    assert added and added == [one for one in curve if one[0] >= since] != curve
    assert read_status(home).first_windows == {"added": first}
    caplog.clear()
    stream(spark, plan, home)
    assert since not in caplog.text and read_status(home).first_windows == {"added": first}
