"""From a topic into a table of a database and an archive, by drivers that are killed, and servers that die and come
back."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.against_topic import verify_archives
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.engine.drivers import SMALL
from tests.engine.shared_java import SharedJava
from tests.servers.fixtures import Server
from tests.servers.kafka import Broker, Topics
from tests.servers.mariadb import MariaDb
from tests.servers.postgresql import PostgreSql

pytestmark = [pytest.mark.slow, pytest.mark.server]

REPORT = """
CREATE TABLE orders (shop INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{broker}',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'archive' = 'orders_by_hour');
CREATE TABLE orders_by_hour (shop INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3), ds STRING, hh STRING)
PARTITIONED BY (ds, hh) WITH ('connector' = 'filesystem', 'path' = 'archive', 'format' = 'parquet');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2),
  PRIMARY KEY (shop, window_end) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = '{database}', 'table-name' = 'curve', 'username' = 'app',
  'password' = 'secret', 'sink.create-table' = 'true');
INSERT INTO curve SELECT shop, window_end, COUNT(DISTINCT buyer), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY shop, window_start, window_end;
"""
HOURS = 3


@pytest.fixture(params=[PostgreSql, pytest.param(MariaDb, marks=pytest.mark.thorough)])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Broker, Server]]:
    broker, database = Broker(tmp_path / "kafka").start(), request.param(tmp_path / "database").start()
    yield broker, database
    broker.stop()
    database.stop("immediate")


@dataclass
class Story:
    """One hour of orders after the other, each streamed by a driver of its own, which is killed."""

    spark: SparkSession
    java: SharedJava
    broker: Broker
    database: Server
    place: Path
    chance: random.Random = field(default_factory=lambda: random.Random(3))

    @property
    def home(self) -> Home:
        return Home.at(self.place / "home")

    def driver(self, *more: str, shared: bool = True) -> subprocess.Popen[bytes]:
        """With the shared Java, or with one that ends with it, in whatever it does."""
        java = self.java.environment if shared else {}
        line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(self.place / "curve.sql")]
        with open(self.place / "said", "ab") as said:
            return subprocess.Popen(
                [*line, "--home", str(self.home.path), *SMALL, *more],
                env={**os.environ, **java}, stdout=said, stderr=said,
            )  # fmt: skip

    def kill(self, driver: subprocess.Popen[bytes]) -> None:
        driver.kill()
        driver.wait()
        self.java.end_session()

    def write(self, topics: Topics, hour: int) -> None:
        """120 orders of three shops, in two partitions."""
        for n in range(120):
            at = f"2024-06-18 {hour}:{n // 2:02}:{n % 2 * 30:02}"
            row = {"shop": self.chance.randint(1, 3), "buyer": self.chance.randint(1, 40), "price": 1.25, "ts": at}
            topics.write("orders", [json.dumps(row)], partition=n % 2)

    def waits(self, driver: subprocess.Popen[bytes]) -> bool:
        """Whether this driver says that a server is away."""
        beat = read_heartbeat(self.home.heartbeats) if self.home.report_file.exists() else None
        return beat is not None and beat.pid == driver.pid and (beat.error or "").startswith("waiting: ")

    def read(self) -> int:
        if not self.home.report_file.exists() or self.home.log().last < 1:
            return 0
        return sum(source.rows for source in self.home.log().position().sources.values())


def until(done: Callable[..., bool], *given: object) -> None:
    latest = time.monotonic() + 120
    while not done(*given):
        assert time.monotonic() < latest
        time.sleep(0.1)


@pytest.mark.thorough
def test_each_window_is_there_once_and_right(
    spark, java: SharedJava, servers: tuple[Broker, Server], tmp_path: Path
) -> None:
    broker, database = servers
    story = Story(spark, java, broker, database, tmp_path)
    (tmp_path / "curve.sql").write_text(REPORT.format(broker=broker.address, database=database.url))
    topics = Topics(spark, broker.address)
    topics.create("orders", 2)
    for n in range(HOURS):
        driver = story.driver(shared=n == 1)
        if n == 1:
            # It has read what is there, and can't publish what comes.
            until(lambda: story.read() == 120)
            database.stop("immediate")
        story.write(topics, 10 + n)
        if n == 1:
            until(story.waits, driver)
            story.kill(driver)
            # The next one starts while the database is away, and waits as well. It may be killed while it holds locks,
            # which only the end of its own Java frees.
            driver = story.driver(shared=False)
            until(story.waits, driver)
            database.start()
        elif n == 2:
            until(lambda: story.read() > 240)
            broker.kill()
            until(story.waits, driver)
            broker.start()
        time.sleep(3 * story.chance.random())
        assert driver.poll() is None
        story.kill(driver)
    topics.close()
    assert story.driver("--available-now").wait() == 0
    plan = load_report(tmp_path / "curve.sql", {})
    verdict = verify(spark, plan, story.home)
    assert verdict.is_proven and not verdict.problems and verdict.unread_files == 0
    (archive,) = verify_archives(spark, plan, story.home)
    assert archive.is_equal and archive.equal == 120 * HOURS
    complete = sorted(mark.parent.name for mark in (tmp_path / "archive").rglob("_SUCCESS"))
    assert complete == ["hh=10", "hh=11"]
    windows = database.query("SELECT shop, window_end, COUNT(*) FROM curve GROUP BY shop, window_end")
    assert {times for _, _, times in windows} == {"1"} and len(windows) == 3 * (6 * HOURS - 1)
