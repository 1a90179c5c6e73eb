"""A driver that is killed after the commit of a table, before it has removed what was staged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.faults import VARIABLE
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.engine.drivers import SMALL, fault
from tests.engine.shared_java import SharedJava
from tests.engine.sinks.jdbc.reports import ORDERS, arrive
from tests.engine.sinks.lakehouse.reports import Format, rows

pytestmark = pytest.mark.process


def test_nothing_is_published_twice(spark, java: SharedJava, lake: Format, tmp_path: Path) -> None:
    arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:02:00"))
    report = tmp_path / "report.sql"
    report.write_text(f"""{ORDERS}
        CREATE TABLE passed (shop INT, price INT) WITH ('connector' = '{lake.name}',
          {lake.options.format(table="passed")}, 'sink.create-table' = 'true');
        INSERT INTO passed SELECT shop, price FROM orders;
    """)
    line = [sys.executable, "-m", "airflow_nrt.engine.main", "--report", str(report), "--available-now"]
    line += ["--home", str(tmp_path / "home"), *SMALL]

    killed = {**os.environ, **java.environment, VARIABLE: fault("kill", "publish-visible", 1)}
    try:
        driver = subprocess.run(line, env=killed, capture_output=True, timeout=120)
        assert driver.returncode == -9, driver.stderr[-3000:]
    finally:
        java.end_session()
    plan, home = load_report(report, {}), Home.at(tmp_path / "home")
    assert any(home.staged.local.iterdir())
    assert rows(spark, plan, "shop", "price") == [(1, 5), (2, 7)]
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert rows(spark, plan, "shop", "price") == [(1, 5), (2, 7)]
    assert not any(home.staged.local.iterdir()) and verify(spark, plan, home).is_proven
