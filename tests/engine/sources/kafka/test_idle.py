"""A partition without records, beside one that never pauses, holds no window back for longer than its timeout."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import order, report
from tests.servers.kafka import Broker, Topics

pytestmark = pytest.mark.slow


def test_beside_steady_traffic_and_after_a_restart(spark, broker: Broker, topics: Topics, tmp_path: Path) -> None:
    topics.create("steady", 2)
    plan = report(tmp_path, broker.address, "steady", scan_watermark_idle__timeout="500 ms")
    home = Home.create(tmp_path / "home", plan)
    at = datetime(2024, 6, 18, 10)
    for windows in (1, 2):
        stop = threading.Event()
        runner = threading.Thread(target=Runner(spark, plan, home, stop_asked=stop).run)
        runner.start()
        try:
            until = time.monotonic() + 60
            while len(rows_of(tmp_path / "curve", "json")) < windows:
                assert time.monotonic() < until and runner.is_alive()
                topics.write("steady", [order(1, 1, f"{at:%H:%M:%S}")])
                at += timedelta(seconds=10)
                time.sleep(0.02)
        finally:
            stop.set()
            runner.join()
    parts = home.log().position().sources["orders"].parts
    assert parts["steady-1"].idle and not parts["steady-0"].idle
    assert verify(spark, plan, home).is_proven
