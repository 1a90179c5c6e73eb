"""A home that is given up: it is shown, then it is gone, and its tables can be another home's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.faults import FORGETTING, VARIABLE
from airflow_nrt.engine.publish.withdrawal import withdraw
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, now_ms, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.forget import forget
from airflow_nrt.usecases.requests.forget import ForgetRequest
from tests.engine.reports import rows_of, write_lines
from tests.engine.sinks.rejected_tables import report as rejecting


def plan(place: Path, path: str = "told") -> Plan:
    return plan_script(
        f"""CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '{place}/t', 'format' = 'json');
        CREATE TABLE told (id INT) WITH ('connector' = 'filesystem', 'path' = '{place}/{path}', 'format' = 'json');
        INSERT INTO told SELECT id FROM t;""",
        {},
        "report",
        place,
    )


def test_it_is_shown_and_then_gone(spark, tmp_path: Path) -> None:
    write_lines(tmp_path / "t" / "1.json", [json.dumps({"id": 7})])
    home = Home.create(tmp_path / "home", plan(tmp_path))
    Runner(spark, plan(tmp_path), home).run()
    shown = forget(ForgetRequest(str(home.path)), print)
    assert (shown.report, shown.driver, shown.entries, shown.is_removed) == ("report", "finished", 2, False)
    assert shown.tables == {"told": f"{tmp_path}/told"} and home.report_file.exists()
    assert forget(ForgetRequest(str(home.path), is_meant=True), print).is_removed
    assert not home.path.exists() and rows_of(tmp_path / "told", "json") == [(7,)]
    other = Home.create(tmp_path / "other", plan(tmp_path))
    sink_of(plan(tmp_path).inserts[0]).check(spark, other, plan(tmp_path).inserts[0])


def test_a_table_of_rejected_rows_that_came_later(spark, tmp_path: Path) -> None:
    """It is given up with the others, though the home was made without it."""
    sink = f"'connector' = 'filesystem', 'path' = '{tmp_path}/lost', 'format' = 'json'"
    write_lines(tmp_path / "t" / "1.csv", ["1,2024-06-18 10:01:00", "a"])
    for into in ("", ", 'source.rejected.table' = 'lost'"):
        changed = rejecting(tmp_path, sink, into)
        home = Home.create(tmp_path / "home", changed, plan_of_home)
        Runner(spark, changed, home, available_now=True, replan=plan_of_home).run()
    assert [*(tmp_path / "lost").iterdir()]
    forget(ForgetRequest(str(home.path), is_meant=True), print)
    assert not [*(tmp_path / "lost").iterdir()]


def test_not_beside_a_driver(spark, tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    write_heartbeat(home.heartbeats, Heartbeat(RUNNING, 1, "host", os.getpid(), now_ms(), "app"))
    with pytest.raises(InputError, match=r"a driver works in .*: stop it first \(`airflow-nrt stop --home "):
        forget(ForgetRequest(str(home.path), is_meant=True), print)
    assert home.report_file.exists()


@pytest.mark.process
@pytest.mark.parametrize("point", FORGETTING)
def test_killed_between_its_steps(spark, tmp_path: Path, point: str) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    sink_of(plan(tmp_path).inserts[0]).check(spark, home, plan(tmp_path).inserts[0])
    Writer.begin(home.log(), Lease("host", 1, "application"))
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "forget", "--home", str(home.path), "--yes"]
    killed = subprocess.run(command, env={**os.environ, VARIABLE: f"kill:{point}"}, check=False)
    assert killed.returncode == -signal.SIGKILL and home.report_file.exists() and not home.log_directory.exists()
    with pytest.raises(HomeError, match=r"has no log directory: `airflow-nrt forget`"):
        home.log()
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "It is removed, and another home can publish" in ended.stdout
    assert not home.path.exists() and not [*(tmp_path / "told").iterdir()]


def test_what_is_not_its_own_stays(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    (home.path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"has what is of no home: notes\.txt\. Take it away first"):
        forget(ForgetRequest(str(home.path), is_meant=True), print)
    assert home.log_directory.exists() and home.report_file.exists()


def test_a_home_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "home").symlink_to(tmp_path / "real")
    home = Home.create(tmp_path / "home", plan(tmp_path))
    assert forget(ForgetRequest(str(home.path), is_meant=True), print).is_removed
    assert not [*tmp_path.iterdir()]


def test_a_claim_that_can_not_be_given_up(spark, tmp_path: Path) -> None:
    report = plan(tmp_path)
    home = Home.create(tmp_path / "home", report)
    sink_of(report.inserts[0]).check(spark, home, report.inserts[0])
    owner = tmp_path / "told" / ".nrt-owner"
    owner.rename(tmp_path / "aside")
    owner.mkdir()
    with pytest.raises(HomeError, match="nrt-owner"):
        forget(ForgetRequest(str(home.path), is_meant=True), print)
    withdrawn = Home.create(tmp_path / "other", plan(tmp_path))
    withdraw(spark, report, withdrawn)
    assert withdrawn.log().last == -1
    owner.rmdir()
    (tmp_path / "aside").rename(owner)
    assert forget(ForgetRequest(str(home.path), is_meant=True), print).is_removed and not owner.exists()


def test_a_start_that_is_refused_leaves_nothing(spark, tmp_path: Path) -> None:
    report = plan(tmp_path)
    home = Home.create(tmp_path / "home", report)
    sink_of(report.inserts[0]).check(spark, home, report.inserts[0])
    withdraw(spark, report, home)
    assert not home.path.exists() and not [*(tmp_path / "told").iterdir()]


def test_a_home_that_has_begun_stays(spark, tmp_path: Path) -> None:
    write_lines(tmp_path / "t" / "1.json", [json.dumps({"id": 7})])
    home = Home.create(tmp_path / "home", plan(tmp_path))
    Runner(spark, plan(tmp_path), home).run()
    withdraw(spark, plan(tmp_path), home)
    assert forget(ForgetRequest(str(home.path)), print).entries == 2
