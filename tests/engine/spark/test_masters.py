"""A master that isn't there is said at once, and what a master lacks before Java starts."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.java.brief_java import brief_java
from airflow_nrt.engine.spark.masters import check_master

IMAGE = "spark.kubernetes.container.image"


@pytest.fixture(autouse=True)
def nothing_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def open_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
    return port


def refusal(master: str, **settings: str) -> str:
    with pytest.raises(InputError) as wrong:
        check_master(master, settings)
    return str(wrong.value)


def test_nobody_listens(closed_port: int) -> None:
    started = time.monotonic()
    told = refusal(f"spark://127.0.0.1:{closed_port}")
    assert time.monotonic() - started < 5
    assert told.startswith(f"no Spark master answers at spark://127.0.0.1:{closed_port} (127.0.0.1:{closed_port}: ")
    assert "Connection refused" in told and told.endswith("start it, or correct --master")


def test_no_host() -> None:
    assert refusal("spark://master.invalid:7077").startswith("no Spark master answers at spark://master.invalid:7077 (")


def test_one_of_several_is_enough(open_port: int, closed_port: int) -> None:
    check_master(f"spark://127.0.0.1:{closed_port},127.0.0.1:{open_port}", {})


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]", "local[2, 3]", "local-cluster[2,1,1024]"])
def test_those_of_this_machine(master: str) -> None:
    check_master(master, {})


def test_yarn_needs_its_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "export HADOOP_CONF_DIR=" in refusal("yarn")
    monkeypatch.setenv("YARN_CONF_DIR", str(tmp_path))
    check_master("yarn", {})


def test_yarn_may_be_configured_by_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "spark-env.sh").write_text("export HADOOP_CONF_DIR=/etc/hadoop\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    check_master("yarn", {})


def test_kubernetes_needs_an_image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open_port: int) -> None:
    master = f"k8s://https://127.0.0.1:{open_port}"
    assert refusal(master) == f"master k8s:// needs the image of its executors: SET '{IMAGE}' = '…'"
    check_master(master, {IMAGE: "spark:4.1.3"})
    (tmp_path / "spark-defaults.conf").write_text(f"{IMAGE} spark:4.1.3\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    check_master(master, {})


def test_no_kubernetes(closed_port: int) -> None:
    told = refusal(f"k8s://127.0.0.1:{closed_port}", **{IMAGE: "spark:4.1.3"})
    assert "Connection refused" in told


START = """
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.basics.errors import NrtError

ensure_java()
try:
    start_session("x", {master!r}, {settings!r})
except NrtError as wrong:
    print(wrong)
"""


def said_at_start(master: str, **settings: str) -> str:
    script = START.format(master=master, settings=settings)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.mark.process
def test_java_that_ends_before_spark_begins() -> None:
    told = said_at_start("local[1]", **{"spark.driver.memory": "9000000g"})
    assert told.splitlines()[-1] == "Spark could not start, because Java ended: its output is above"
    assert len(told.splitlines()) > 1


@pytest.mark.process
def test_a_brief_java_too_says_why_it_ends() -> None:
    told = said_at_start("local[1]", **brief_java(), **{"spark.driver.memory": "1m"})
    assert "heap" in told and told.splitlines()[-1].endswith("its output is above")


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.process
def test_something_else_listens(open_port: int) -> None:
    """Spark tries it for a minute."""
    told = said_at_start(f"spark://127.0.0.1:{open_port}")
    assert "master does not answer" in told and told.endswith("start the master, or correct --master")
