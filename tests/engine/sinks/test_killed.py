"""kill -9 in each step of publishing into each sink: in the end no window differs, and none is there twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.faults import PUBLISHING, VARIABLE
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.engine.drivers import SMALL, fault
from tests.engine.shared_java import SharedJava
from tests.engine.sinks.jdbc.reports import COUNTS, CURVE, arrive
from tests.engine.sinks.kafka.test_kafka import consumed, counted_once
from tests.engine.sinks.lakehouse.reports import begin_with
from tests.servers.kafka import Broker, Topics
from tests.servers.mariadb import MariaDb
from tests.servers.postgresql import PostgreSql

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.thorough, pytest.mark.timeout(1800)]

ORDERS = """
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json', 'source.monitor-interval' = '100 ms',
  'source.max-batch-size' = '1 b');
"""
AROUND = ("publish-before", "publish-visible", "publish-between", "publish-after")
FILES = 40
OF_FILES = "'connector' = 'filesystem', 'path' = 'curve', 'format' = 'json'"
OPTIONS: dict[str, Callable[[pytest.FixtureRequest], str]] = {
    "filesystem": lambda request: OF_FILES,
    "postgresql": lambda request: _database(request.getfixturevalue("postgresql")),
    "mariadb": lambda request: _database(request.getfixturevalue("mariadb")),
    "kafka": lambda request: _topic(request.getfixturevalue("broker"), request.getfixturevalue("topics")),
    "delta": lambda request: "'connector' = 'delta', 'table-path' = 'lake/curve', 'sink.create-table' = 'true'",
    "iceberg": lambda request: (
        "'connector' = 'iceberg', 'catalog-name' = 'lake', 'catalog-type' = 'hadoop', 'warehouse' = 'lake', "
        "'catalog-database' = 'shop', 'catalog-table' = 'curve', 'sink.create-table' = 'true'"
    ),
}
CONNECTORS = {"postgresql": "jdbc", "mariadb": "jdbc"}


def _database(server: PostgreSql | MariaDb) -> str:
    return (
        f"'connector' = 'jdbc', 'url' = '{server.url}', 'table-name' = 'killed', 'username' = 'app', "
        "'password' = 'secret', 'sink.create-table' = 'true'"
    )


def _topic(broker: Broker, topics: Topics) -> str:
    topics.create("killed", 1)
    return (
        f"'connector' = 'kafka', 'topic' = 'killed', 'properties.bootstrap.servers' = '{broker.address}', "
        "'format' = 'json'"
    )


@pytest.mark.parametrize("sink", OPTIONS)
def test_killed_twice_in_each_step_of_publishing(
    spark: SparkSession, java: SharedJava, request: pytest.FixtureRequest, tmp_path: Path, sink: str
) -> None:
    """Each driver first publishes what the one before it has left, and dies in that, or in the entry after it."""
    report = tmp_path / "report.sql"
    columns = CURVE if sink != "kafka" else CURVE.rpartition(", PRIMARY KEY")[0]
    options = OPTIONS[sink](request)
    report.write_text(f"{ORDERS} CREATE TABLE curve ({columns}) WITH ({options}); INSERT INTO curve {COUNTS};")
    for n in range(FILES):
        # Each file completes windows, and the next one changes what is open.
        at, before = n * 7, max(n * 7 - 3, 0)
        arrive(tmp_path, f"{n:02}", (n % 3, n, _clock(at)), (n % 2, 2 * n, _clock(before)))
    points = (*AROUND, *PUBLISHING[CONNECTORS.get(sink, sink)])
    for point in points:
        for time in (2, 1):
            # A connection lives in Java, and with it the locks of its transaction.
            _killed(None if sink in CONNECTORS else java, tmp_path, fault("kill", point, time))
    plan, home = load_report(report, {}), Home.at(tmp_path / "home")
    begin_with(spark, plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert not any(home.staged.local.iterdir())
    if sink == "kafka":
        broker = request.getfixturevalue("broker")
        results = [json.loads(one) for one in counted_once(consumed(spark, broker, "killed"))]
        assert _rows(results) == _rows(_alone(spark, tmp_path))
    else:
        verdict = verify(spark, plan, home)
        assert verdict.is_proven and not verdict.problems and verdict.equal > FILES / 2
    print(f"{sink}: {2 * len(points)} kills in {len(points)} steps ({', '.join(points)}), 0 windows differ")


def _killed(java: SharedJava | None, place: Path, wanted: str) -> None:
    line = [sys.executable, "-m", "airflow_nrt.engine.main", "--report", str(place / "report.sql"), "--available-now"]
    environment = {**os.environ, **(java.environment if java is not None else {}), VARIABLE: wanted}
    try:
        driver = subprocess.run(
            [*line, "--home", str(place / "home"), *SMALL], env=environment, capture_output=True, timeout=240
        )
    finally:
        if java is not None:
            java.end_session()
    assert driver.returncode == -signal.SIGKILL, f"not killed at {wanted}: {driver.stderr.decode()[-3000:]}"


def _alone(spark: SparkSession, place: Path) -> list[dict[str, Any]]:
    """What a stream that nothing interrupts writes into files."""
    report = place / "alone.sql"
    report.write_text(f"{ORDERS} CREATE TABLE curve ({CURVE}) WITH ({OF_FILES}); INSERT INTO curve {COUNTS};")
    plan = load_report(report, {})
    assert Runner(spark, plan, Home.create(place / "alone", plan), available_now=True).run() == "finished"
    files = (place / "curve").rglob("*.json")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _rows(results: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((row["shop"], row["window_end"], row["n"], str(row["gmv"])) for row in results)


def _clock(minute: int) -> str:
    return f"{8 + minute // 60:02}:{minute % 60:02}:00"
