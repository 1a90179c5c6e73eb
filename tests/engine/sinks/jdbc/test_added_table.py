"""A table of a database that is added to a report of files gets all windows that the files have, and follows them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver import filling, run
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.publish import publishing
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Fill
from airflow_nrt.home.status import read_pulse
from airflow_nrt.home.window_events import Completed, read_window_events
from airflow_nrt.model.plan import Plan
from airflow_nrt.page.log_facts import Facts
from airflow_nrt.sql.load import plan_of_home, plan_script
from tests.engine.reports import HOUR, MINUTE, MORNING, rows_of
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, ORDERS, arrive
from tests.servers.postgresql import PostgreSql

pytestmark = pytest.mark.slow

FILES = f"""{ORDERS}
CREATE TABLE files ({CURVE}) WITH ('connector' = 'filesystem', 'path' = 'files', 'format' = 'json');
INSERT INTO files {COUNTS};
"""
ADDED = """
CREATE TABLE added (store INT, until TIMESTAMP(3), orders BIGINT, gmv DECIMAL(20, 2),
  PRIMARY KEY (store, until) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 'added', 'username' = '${{USER}}',
  'sink.create-table' = 'true');
INSERT INTO added {query};
"""
QUARTERS = ("10:10", "10:20", "10:30", "10:40", "10:50", "11:00")


class Killed(BaseException):
    """A driver that dies at a fault point."""


def plan_of(script: str, place: Path) -> Plan:
    return plan_script(script, {"USER": "app"} if "${USER}" in script else {}, "orders_curve", place)


def stream(spark: SparkSession, plan: Plan, home: Home) -> str:
    return Runner(spark, plan, home, available_now=True, replan=plan_of_home).run()


def dies(spark: SparkSession, plan: Plan, home: Home, module: object, point: str, times: int = 1) -> None:
    """Runs a driver that is killed when it reaches a point."""
    reached: Counter[str] = Counter()

    def reach(name: str) -> None:
        reached[name] += 1
        if name == point and reached[name] == times:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "reach", reach)
        with pytest.raises(Killed):
            stream(spark, plan, home)


def test_a_table_that_is_added_to_a_report(
    spark: SparkSession, postgresql: PostgreSql, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "WINDOWS_AT_ONCE", 2)
    before = plan_of(FILES, tmp_path)
    home = Home.create(tmp_path / "home", before)
    in_time = (1, 5, "10:01:00"), (2, 7, "10:12:00"), (1, 2, "10:25:00"), (1, 8, "10:35:00"), (1, 1, "10:45:00")
    for name, orders in {"0": in_time, "1": ((2, 3, "10:05:00"),)}.items():
        arrive(tmp_path, name, *orders)
        assert stream(spark, before, home) == "finished"
    # Windows that a backfill computes again have the late row.
    backfill(spark, before, home, Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 20 * MINUTE), check=False)
    plan = plan_of(FILES + ADDED.format(url=postgresql.url, query=COUNTS), tmp_path)
    identity = home.identity()
    with pytest.raises(InputError, match="does not know of added yet: start the stream of the changed report first"):
        home.check_report(plan, plan_of_home)
    assert Home.create(home.path, plan, plan_of_home).identity() == identity

    dies(spark, plan, home, run, "fill-accepted")
    assert home.identity().id == identity.id and home.identity().added == {"added": "files"}
    home.check_report(plan, plan_of_home)
    with pytest.raises(InputError, match="added: removed"):
        home.check_report(before, plan_of_home)
    pending = verify(spark, plan, home)
    assert pending.is_proven and [one.pending for one in pending.inserts] == [1, 5]
    dies(spark, plan, home, filling, "fill-staged")
    dies(spark, plan, home, filling, "fill-decided")
    of = {one.table: one.published_entry for one in read_pulse(home).tables}
    assert of["added"] < of["files"]
    arrive(tmp_path, "3", (1, 4, "10:52:00"))
    dies(spark, plan, home, publishing, "publish-visible", 2)
    arrive(tmp_path, "4", (2, 1, "10:48:00"), (1, 9, "11:05:00"))
    assert stream(spark, plan, home) == "finished"

    fills = [entry.body for entry in home.log().audit() if isinstance(entry.body, Fill)]
    assert [(len(one.published), one.left) for one in fills] == [(2, 2), (2, 0)]
    published = postgresql.query("SELECT store, until, orders, gmv FROM added")
    files = [tuple(map(str, row)) for row in rows_of(tmp_path / "files", "json")]
    assert sorted(map(tuple, published)) == sorted((a, b[:19], c, f"{float(d):.2f}") for a, b, c, d in files)
    assert {until[11:16] for _, until, *_ in published} == set(QUARTERS)
    assert not any(home.staged.local.iterdir())
    facts = Facts()
    facts.follow(home.log())
    assert [one.text for one in facts.events if one.kind == "fill"] == ["added filled from files: 2 windows"] * 2
    assert len(read_window_events(home, Completed(), "added", -1).ends) == len(QUARTERS)
    verdict = verify(spark, plan, home)
    curve, added = verdict.inserts
    assert verdict.is_proven and curve.explained == 1
    assert (added.windows, added.explained, added.pending) == (6, curve.explained, curve.pending)
