"""Passwords that Airflow keeps: a report from a topic into a database leaves them nowhere that somebody can read.

A canary is looked for in command lines, event log, home, logs, XCom and rendered fields.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from airflow_nrt.demo.airflow_client import ENDED, wait_until
from tests.dags.lab import Lab
from tests.servers.kafka import Broker, Topics
from tests.servers.postgresql import PostgreSql

pytestmark = pytest.mark.slow


CANARY = "canary-5e0b"
JAAS = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="nrt" password="{CANARY}-jaas";'
REPORT = """
SET 'spark.eventLog.enabled' = 'true';
SET 'spark.eventLog.dir' = 'file:${DATA}/events';
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 'confided', 'properties.bootstrap.servers' = '${conn:confided_topic.host}',
  'properties.sasl.jaas.config' = '${conn:confided_topic.extra.jaas}',
  'properties.ssl.key.password' = '${var:confided}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), gmv BIGINT, PRIMARY KEY (shop, window_end) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'table-name' = 'confided', 'sink.create-table' = 'true',
  'connection' = 'confided_db');
INSERT INTO curve SELECT shop, window_end, SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end;
"""


def airflow(lab: Lab, *command: str) -> None:
    """A command of Airflow. What is kept is added as people do, so that no variable of Airflow's processes has it."""
    subprocess.run(
        [sys.executable, "-m", "airflow", *command],
        env=lab.processes.environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip


def keep(lab: Lab, broker: Broker, postgresql: PostgreSql) -> None:
    kept = lab.root / "kept"
    kept.mkdir()
    database = {"host": "127.0.0.1", "port": postgresql.port, "schema": "app"}
    database |= {"login": "app", "password": f"{CANARY}-db"}
    connections = {
        "confided_topic": {"conn_type": "kafka", "host": broker.address, "extra": {"jaas": JAAS}},
        "confided_db": {"conn_type": "postgres", **database},
    }
    (kept / "connections.json").write_text(json.dumps(connections))
    (kept / "variables.json").write_text(json.dumps({"confided": f"{CANARY}-var"}))
    airflow(lab, "connections", "import", str(kept / "connections.json"))
    airflow(lab, "variables", "import", str(kept / "variables.json"))


def processes_with_canary() -> Iterator[str]:
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if CANARY in line:
            yield line


def files_with_canary(place: Path) -> list[Path]:
    return [path for path in place.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]


def rows_with_canary(database: Path) -> list[str]:
    """The tables of Airflow's database that have it, but for those which keep it."""
    with sqlite3.connect(database) as asked:
        names = [name for (name,) in asked.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: str(asked.execute(f'SELECT * FROM "{name}"').fetchall()) for name in names}
    assert len(rows["xcom"]) > 2 and "confided.sql" in rows["rendered_task_instance_fields"]
    return [name for name, row in rows.items() if CANARY in row and name not in ("connection", "variable")]


@pytest.mark.thorough
def test_no_password_is_left_anywhere(lab: Lab, broker: Broker, topics: Topics, postgresql: PostgreSql) -> None:
    keep(lab, broker, postgresql)
    topics.create("confided", 2)
    for hour in range(3):
        rows = [json.dumps({"shop": shop, "price": 5, "ts": f"2024-06-19 0{hour}:30:00"}) for shop in range(4)]
        topics.write("confided", rows, partition=hour % 2)
    home = lab.home("confided")
    data = lab.root / "data-confided"
    (data / "events").mkdir(parents=True)
    (data / "confided.sql").write_text(REPORT)

    client = lab.client
    run = lab.run("confided", home)
    lines: set[str] = set()

    def is_over() -> bool:
        lines.update(processes_with_canary())
        return client.run_state("confided", run) in ENDED

    wait_until(is_over, 240, "the end of the run")
    log = "".join(client.log("confided", run, task) for task in ("stream", "verify"))
    assert client.run_state("confided", run) == "success", log
    assert postgresql.query("SELECT COUNT(*), SUM(gmv) FROM confided") == [["12", "60"]]
    assert client.xcom("confided", run, "verify")["proven"]

    assert lines == set()
    assert any((data / "events").iterdir())
    for place in (home.path, data, lab.processes.home / "logs"):
        assert files_with_canary(place) == []
    assert rows_with_canary(lab.processes.home / "airflow.db") == []
    assert CANARY not in log
