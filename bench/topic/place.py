"""A broker, a database, a producer and a driver, each in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.home.home import Home
from tests.servers.kafka import Broker
from tests.servers.postgresql import PostgreSql

TOPIC, PARTITIONS = "orders", 4
REPORT = """
CREATE TABLE orders (item INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{broker}',
  'scan.startup.mode' = 'earliest-offset', 'scan.watermark.max-ahead' = '40000 d', 'format' = 'csv'{more});
CREATE TABLE curve (item INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2),
  PRIMARY KEY (item, window_end) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = '{database}', 'table-name' = 'curve', 'username' = 'app',
  'sink.create-table' = 'true');
INSERT INTO curve {query};
"""
QUERY = """SELECT item, window_end, COUNT(DISTINCT buyer), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY item, window_start, window_end"""
LAKES = f"""
CREATE TABLE in_delta (item INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2))
WITH ('connector' = 'delta', 'table-path' = 'delta', 'sink.create-table' = 'true');
CREATE TABLE in_iceberg (item INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2))
WITH ('connector' = 'iceberg', 'catalog-name' = 'lake', 'catalog-type' = 'hadoop', 'warehouse' = 'iceberg',
  'catalog-database' = 'shop', 'catalog-table' = 'curve', 'sink.create-table' = 'true');
INSERT INTO in_delta {QUERY};
INSERT INTO in_iceberg {QUERY};
"""
"""The same results in tables of a lakehouse."""
ARCHIVE = """
CREATE TABLE orders_by_hour (item INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3), ds STRING, hh STRING)
PARTITIONED BY (ds, hh) WITH ('connector' = 'filesystem', 'path' = 'archive', 'format' = 'parquet');
"""
ARCHIVED = ", 'archive' = 'orders_by_hour'"
BOUNDED = ", 'scan.bounded.mode' = 'latest-offset'"


@dataclass
class Place:
    """`path` has a report whose topic is empty."""

    path: Path
    broker: Broker
    database: PostgreSql

    @property
    def home(self) -> Home:
        return Home.at(self.path / "home")

    def write(self, more: str = "", others: str = "") -> None:
        """A report of its own, of which nothing has run. `more` are options of the topic, `others` more statements."""
        shutil.rmtree(self.home.path, ignore_errors=True)
        shutil.rmtree(self.path / "archive", ignore_errors=True)
        self.database.query("DROP TABLE IF EXISTS curve, nrt_windows, nrt_owners")
        text = REPORT.format(broker=self.broker.address, database=self.database.url, more=more, query=QUERY)
        (self.path / "curve.sql").write_text((ARCHIVE if more == ARCHIVED else "") + text + others)

    def command(self, *more: str) -> list[str]:
        line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(self.path / "curve.sql")]
        return [*line, "--home", str(self.home.path), *more]

    def driver(self, *more: str) -> subprocess.Popen[bytes]:
        with open(self.path / "driver.log", "ab") as log:
            return subprocess.Popen(self.command(*more), stdout=log, stderr=log)

    def producer(self, rate: int, seconds: int, speed: float = 1.0) -> subprocess.Popen[bytes]:
        """Sends orders; with a rate of a million or more, as fast as it can."""
        source = Path(__file__).with_name("Producer.java")
        numbers = (PARTITIONS, rate, seconds, speed, 7)
        line = ["java", "-cp", self.broker.classes, str(source), self.broker.address, TOPIC, *map(str, numbers)]
        with open(self.path / "producer.log", "ab") as log:
            return subprocess.Popen(line, stdout=log, stderr=log)

    def read(self) -> int:
        """The records that the stream has read."""
        home = self.home
        if not home.report_file.exists() or home.log().last < 1:
            return 0
        return sum(source.rows for source in home.log().position().sources.values())


@contextmanager
def place(path: Path) -> Iterator[Place]:
    broker, database = Broker(path / "kafka").start(), PostgreSql(path / "postgresql").start()
    try:
        made = Place(path, broker, database)
        made.write()
        # It makes the topic, and sends nothing.
        assert made.producer(1, 0).wait() == 0, (path / "producer.log").read_text()
        yield made
    finally:
        broker.stop()
        database.stop("immediate")
