"""A topic into a database on a standalone master: the engine's classes of Java reach tasks in another Java."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.standalone import standalone
from tests.servers.kafka import Broker, Topics
from tests.servers.postgresql import PostgreSql

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.thorough]

REPORT = """
SET 'spark.driver.host' = '127.0.0.1';
SET 'spark.executor.memory' = '1g';
CREATE TABLE orders (shop INT, price DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'far', 'properties.bootstrap.servers' = '{broker}', 'format' = 'csv',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), gmv DECIMAL(38, 2), PRIMARY KEY (shop, window_end) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = '{database}', 'table-name' = 'far', 'username' = 'app',
  'sink.create-table' = 'true');
INSERT INTO curve SELECT shop, window_end, SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY shop, window_start, window_end;
"""


def test_tasks_elsewhere_have_the_engine_s_classes(
    broker: Broker, topics: Topics, postgresql: PostgreSql, tmp_path: Path
) -> None:
    topics.create("far", 2)
    for partition in (0, 1):
        lines = (f"{n % 2},{n}.25,2024-06-18 {n % 24:02}:00:00" for n in range(partition, 100, 2))
        topics.write("far", lines, partition=partition)
    report = tmp_path / "far.sql"
    report.write_text(REPORT.format(broker=broker.address, database=postgresql.url))
    command = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(report), "--home", str(tmp_path / "home")]
    with standalone(tmp_path) as cluster:
        done = subprocess.run([*command, "--master", cluster.url], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    # The last window of each shop has all of its orders.
    rows = postgresql.query("SELECT shop, gmv FROM far WHERE window_end = '2024-06-19 00:00:00' ORDER BY shop")
    assert rows == [["0", "2462.50"], ["1", "2512.50"]]
    assert "does not fit here" not in done.stderr + (tmp_path / "home" / "driver.log").read_text()
