"""A broker that goes away, and a driver that is killed: no record is lost, and none counts twice."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.engine.drivers import SMALL
from tests.engine.reports import rows_of
from tests.engine.sources.kafka.reports import order, script
from tests.servers.kafka import Broker, Topics

pytestmark = pytest.mark.slow


@pytest.fixture
def own_broker(broker: Broker, tmp_path: Path) -> Iterator[Broker]:
    own = Broker(tmp_path / "kafka").start()
    yield own
    own.stop()


def wait_until(done: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + 120
    while not done():
        assert time.monotonic() < until, f"never: {what}"
        time.sleep(0.1)


def test_a_broker_and_a_driver_that_are_killed(spark, own_broker: Broker, tmp_path: Path) -> None:
    file = tmp_path / "orders_curve.sql"
    file.write_text(script(own_broker.address, "orders", path=str(tmp_path / "curve")))
    home = Home.at(tmp_path / "home")
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(file), "--home", str(home.path), *SMALL]

    def read() -> int:
        return home.log().position().sources["orders"].rows if home.report_file.exists() and home.log().last > 0 else 0

    topics = Topics(spark, own_broker.address)
    topics.create("orders", 2)
    topics.write("orders", [order(1, n, f"10:{n:02}:00") for n in range(30)])
    topics.write("orders", [order(2, n, f"10:{n:02}:30") for n in range(30)], 1)
    with open(tmp_path / "driver.log", "wb") as log:
        driver = subprocess.Popen(line, stdout=log, stderr=log)
        try:
            wait_until(lambda: read() == 60, "all is read")
            own_broker.kill()
            wait_until(lambda: "waiting: " in (((b := read_heartbeat(home.heartbeats)) and b.error) or ""), "it waits")
            assert driver.poll() is None
            own_broker.start()
            topics.write("orders", [order(1, n, f"10:{n:02}:00") for n in range(30, 60)])
            wait_until(lambda: read() == 90, "what came after the broker")
        finally:
            driver.kill()
            driver.wait()
        topics.write("orders", [order(2, n, f"10:{n:02}:30") for n in range(30, 60)], 1)
        topics.close()
        subprocess.run([*line, "--available-now"], stdout=log, stderr=log, check=True)
    assert read() == 120
    counts = [n for _, n, _ in rows_of(tmp_path / "curve", "json")]
    assert counts == [20, 20, 20, 20, 20]
    verdict = verify(spark, load_report(file, {}), home)
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 0
