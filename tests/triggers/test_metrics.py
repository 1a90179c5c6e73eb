"""The state of a report reaches the StatsD of Airflow's configuration."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt.home.heartbeat import RUNNING
from tests.launch.homes import beat, fire, lease, new_home

SEND = """
import sys
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_pulse
from airflow_nrt.triggers.metrics import send_metrics
send_metrics(read_pulse(Home.open(sys.argv[1])))
"""


@pytest.mark.process
def test_statsd(tmp_path: Path) -> None:
    """In a process of its own, as Airflow reads its configuration once."""
    home = new_home(tmp_path)
    fire(home, lease(home), 60_000)
    beat(home, 1, RUNNING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)
        metrics = {"STATSD_ON": "True", "STATSD_HOST": "127.0.0.1", "STATSD_PORT": str(server.getsockname()[1])}
        settings = {f"AIRFLOW__METRICS__{name}": value for name, value in metrics.items()}
        subprocess.run([sys.executable, "-c", SEND, str(home.path)], env={**os.environ, **settings}, check=True)
        received = {}
        while "airflow.nrt.null_fields_total.orders_curve" not in received:
            name, _, value = server.recv(2000).decode().partition(":")
            received[name] = value
    assert received["airflow.nrt.running.orders_curve"] == "1.0|g"
    assert received["airflow.nrt.last_window_seconds.orders_curve"] == "60.0|g"
    assert received["airflow.nrt.rows_total.orders_curve"] == "0|g"
