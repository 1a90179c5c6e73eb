"""The servers of a demonstration: started, used and stopped."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psutil
import pytest

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.demo.servers import kafka as servers
from tests.servers.kafka import Broker
from tests.servers.postgresql import PostgreSql

pytestmark = pytest.mark.server


@pytest.mark.slow
def test_a_broker_takes_lines_as_records_of_a_topic(tmp_path: Path) -> None:
    if not servers.is_fetched():
        servers.fetch()
    broker = Broker(tmp_path / "kafka").start()
    try:
        broker.create_topic("orders", 2)
        assert not broker.has_records("orders")
        with pytest.raises(NrtError, match="already exists"):
            broker.create_topic("orders", 2)
        said = subprocess.run(broker.producer("orders"), input=b'1\t{"a": 1}\n', capture_output=True, check=True)
        assert broker.has_records("orders"), said.stderr
    finally:
        broker.stop()
    assert broker.pid is not None and not psutil.pid_exists(broker.pid)


def test_a_database_asks_for_its_password(tmp_path: Path) -> None:
    database = PostgreSql(tmp_path / "postgresql", password="of-the-demo").start()
    try:
        assert database.query("SELECT 1, 'a'") == [["1", "a"]]
        database.password = "another"
        with pytest.raises(NrtError, match="password authentication failed"):
            database.query("SELECT 1")
    finally:
        database.stop()
    assert database.pid is None
