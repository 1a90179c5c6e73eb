"""A signal to everything that a launch started, as systemd and a container's stop send it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from airflow_nrt.files.process_start import ProcessStart
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.command_lines import CommandLine, driver_of, launcher_of
from airflow_nrt.launch.start import await_driver, start_launch
from airflow_nrt.launch.submission import Cluster, driver_submission
from airflow_nrt.sql.load import load_report
from tests.cli.place import FILES, furnish

pytestmark = [pytest.mark.slow, pytest.mark.process]


def test_the_driver_stops_and_the_launcher_ends_after_it(tmp_path: Path) -> None:
    report = furnish(tmp_path, files={"0.csv": FILES[0]})
    home = Home.create(tmp_path / "home", load_report(report))
    cluster = Cluster({"conn_type": "spark", "host": "local[1]", "extra": {}}, "local[1]")
    submission = driver_submission(cluster, home, "curve", ["--report", str(report), "--launch", "1"])
    launch = start_launch(home, 1, submission, 120_000, "a test")
    assert launch is not None
    try:
        first = await_driver(home, launch)
        assert first.launch == "1"
        assert first.process_start == ProcessStart.of(first.pid)
        assert driver_of(home, "1")(CommandLine.of(first.pid))
        assert launcher_of(home, 1)(CommandLine.of(launch.launcher.pid))
        os.killpg(launch.launcher.pid, signal.SIGTERM)
        deadline = time.monotonic() + 60
        while not launch.launcher.is_gone():
            assert time.monotonic() < deadline, home.driver_log.local.read_text()[-3000:]
            time.sleep(0.1)
        beat = read_heartbeat(home.heartbeats)
        assert beat is not None and (beat.state, beat.error) == ("stopped", None)
        told = home.driver_log.local.read_text()
        assert "airflow-nrt: curve stopped" in told and "Traceback" not in told
    finally:
        launch.kill(home)
