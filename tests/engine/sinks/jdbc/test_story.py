"""From a topic into a table of PostgreSQL, by a driver that is killed again and again, and servers that die."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.engine.drivers import SMALL
from tests.servers.kafka import Broker, Topics
from tests.servers.postgresql import PostgreSql

pytestmark = pytest.mark.slow

REPORT = """
CREATE TABLE orders (shop INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{broker}',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2),
  PRIMARY KEY (shop, window_end) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = '{database}', 'table-name' = 'curve', 'username' = 'app',
  'sink.create-table' = 'true');
INSERT INTO curve SELECT shop, window_end, COUNT(DISTINCT buyer), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY shop, window_start, window_end;
"""
ROUNDS = 3


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[Broker, PostgreSql]]:
    broker, database = Broker(tmp_path / "kafka").start(), PostgreSql(tmp_path / "postgresql").start()
    yield broker, database
    broker.stop()
    database.stop("immediate")


def test_each_window_is_there_once_and_right(spark, servers: tuple[Broker, PostgreSql], tmp_path: Path) -> None:
    broker, database = servers
    chance = random.Random(3)
    file = tmp_path / "curve.sql"
    file.write_text(REPORT.format(broker=broker.address, database=database.url))
    home = Home.at(tmp_path / "home")
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(file), "--home", str(home.path), *SMALL]
    topics = Topics(spark, broker.address)
    topics.create("orders", 2)
    for hour in range(ROUNDS):
        rows = [
            (chance.randint(1, 3), chance.randint(1, 40), f"{10 + hour}:{n // 2:02}:{n % 2 * 30:02}")
            for n in range(120)
        ]
        with open(tmp_path / "said", "ab") as said:
            driver = subprocess.Popen(line, stdout=said, stderr=said)
            for n, (shop, buyer, at) in enumerate(rows):
                value = {"shop": shop, "buyer": buyer, "price": 1.25, "ts": f"2024-06-18 {at}"}
                topics.write("orders", [json.dumps(value)], partition=n % 2)
            time.sleep(4 + 3 * chance.random())
            if hour == 1:
                database.stop("immediate")
                time.sleep(chance.random())
                database.start()
            driver.kill()
            driver.wait()
    topics.close()
    with open(tmp_path / "said", "ab") as said:
        subprocess.run([*line, "--available-now"], stdout=said, stderr=said, check=True)
    plan = load_report(file, {})
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and not verdict.problems and verdict.unread_files == 0
    count, windows = database.query("SELECT COUNT(*), COUNT(DISTINCT (shop, window_end)) FROM curve")[0]
    assert count == windows == str(3 * (6 * ROUNDS - 1))
