"""A driver on a host with other users: what they read of its processes, and where they could reach it."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from pyspark import SparkContext

from airflow_nrt.engine.spark.gateway import start_java
from airflow_nrt.home.home import Home
from airflow_nrt.launch.submission import Cluster, driver_submission
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.table.reports.load import load_report

SCRIPT = """
CREATE TABLE orders (shop STRING, price INT) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json');
CREATE TABLE cheap (shop STRING, price INT) WITH ('connector' = 'filesystem', 'path' = 'cheap', 'format' = 'json');
SET 'spark.ui.enabled' = 'true';
SET 'spark.ui.port' = '0';
SET 'spark.hadoop.fs.s3a.secret.key' = '${STORE_SECRET}';
INSERT INTO cheap SELECT shop, price FROM orders WHERE shop = '${SHOP}';
"""
SECRETS = {"STORE_SECRET": "stored-away"}
OF_THE_CONNECTION = {"spark.hadoop.a.token": "of-the-connection"}
HIDDEN = (*SECRETS.values(), *OF_THE_CONNECTION.values())
LOOPBACK = ("127.0.0.1", "::1", "::ffff:127.0.0.1")


@pytest.mark.process
def test_a_launched_driver_shows_no_secret_and_listens_for_this_host_alone(tmp_path: Path) -> None:
    """Its pages and Spark's event log are switched on; whatever of it is in /proc is looked at while it runs."""
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "1.json").write_text('{"shop": "b\'s", "price": 1}\n')
    report = tmp_path / "cheap.sql"
    report.write_text(SCRIPT)
    settings = Settings(tuple({**SECRETS, "SHOP": "b's"}.items()))
    home = Home.create(tmp_path / "home", load_report(report, settings))
    home.launches.local.mkdir(exist_ok=True)
    events = tmp_path / "events"
    events.mkdir()
    logging = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri()}
    conf = {**OF_THE_CONNECTION, **logging, "spark.eventLog.compress": "false"}
    arguments = ["--report", str(report), "--name", "cheap", "--base", str(tmp_path), "--launch", "1"]
    cluster = Cluster({"conn_type": "spark", "host": "local[1]", "extra": {}}, "local[1]", conf=conf)
    submission = driver_submission(cluster, home, "cheap", [*arguments, "--available-now"], settings)
    lines, addresses = set(), set()
    with (tmp_path / "output").open("wb") as output:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "airflow_nrt.launch.launcher", str(home.path), "1"], env=os.environ,
            stdin=subprocess.PIPE, stdout=output, stderr=output,
        )  # fmt: skip
    assert launcher.stdin is not None
    launcher.stdin.write(submission.to_json().encode())
    launcher.stdin.close()
    while launcher.poll() is None:
        for line, listening in _family(launcher.pid):
            lines.add(line)
            addresses.update(listening)
        time.sleep(0.1)
    output_text = (tmp_path / "output").read_text()
    assert launcher.returncode == 0, output_text[-3000:]
    assert any("SparkSubmit" in line for line in lines)
    assert not [line for line in lines if any(hidden in line for hidden in HIDDEN)]
    assert addresses and addresses <= set(LOOPBACK), addresses
    written = "".join(file.read_text() for file in tmp_path.rglob("cheap*.json"))
    assert "b's" in written, "the value in the literal is the one that was given"
    logged = "".join(file.read_text(errors="replace") for file in events.rglob("*") if file.is_file())
    assert "SparkListenerEnvironmentUpdate" in logged and "spark.hadoop.a.token" in logged
    files = (file for file in home.path.rglob("*") if file.is_file())
    kept = "".join(file.read_text(errors="replace") for file in files)
    assert not [hidden for hidden in HIDDEN for text in (logged, kept, output_text) if hidden in text]
    assert not [file for file in home.launches.local.iterdir() if file.suffix in (".settings", ".conf")]


def _family(pid: int) -> Iterator[tuple[str, list[str]]]:
    """The command lines and the addresses of the process and its descendants, as far as they have not ended yet."""
    with contextlib.suppress(psutil.Error):
        for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                line, connections = " ".join(process.cmdline()), process.net_connections()
                yield line, [one.laddr.ip for one in connections if one.status == psutil.CONN_LISTEN]


def test_a_session_that_python_starts_has_no_setting_in_its_command_line(spark) -> None:  # type: ignore[no-untyped-def]
    java = psutil.Process(spark._jvm.java.lang.ProcessHandle.current().pid())
    line = " ".join(java.cmdline()).partition("SparkSubmit")[2]
    assert "--properties-file" in line and "spark.sql." not in line
    (place,) = [word for word in java.cmdline() if word.endswith("spark.conf")]
    assert not Path(place).exists()


def test_a_local_session_asks_who_is_there(spark) -> None:  # type: ignore[no-untyped-def]
    """Without that any user of the host stops it by its RPC port."""
    security = spark.sparkContext._jvm.org.apache.spark.SparkEnv.get().securityManager()
    assert security.isAuthenticationEnabled() and len(security.getSecretKey()) >= 32
    assert "spark.authenticate.secret" not in dict(spark.sparkContext.getConf().getAll())


def test_spark_leaves_out_what_is_named_like_a_secret(spark) -> None:  # type: ignore[no-untyped-def]
    pattern = spark.sparkContext.getConf().get("spark.redaction.regex")
    matches = spark.sparkContext._jvm.java.util.regex.Pattern.compile(pattern)
    for name in ("spark.hadoop.fs.s3a.secret.key", "spark.my.Credential", "spark.PASSWORD"):
        assert matches.matcher(name).find()


def test_a_place_of_temporary_files_with_blanks_and_quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark takes its arguments apart as a shell does."""
    given: list[str] = []
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(
        SparkContext, "_ensure_initialized", lambda: given.extend(shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"]))
    )
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "it's my place"))
    (tmp_path / "it's my place").mkdir()
    start_java({"spark.master": "local[1]"})
    assert given[-1] == "pyspark-shell" and given[2].startswith(f"{tmp_path}/it's my place/airflow-nrt-")
