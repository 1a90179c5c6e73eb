"""A real Spark standalone cluster on this machine: one master, one worker, from the installed pyspark."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from airflow_nrt.engine.java import ensure_java


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Standalone:
    """`url` is the master's, `rest_port` where it tells of drivers."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port, self.rest_port, self._web = _free_port(), _free_port(), _free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        web = str(self._web)
        self._run("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", web)
        self._run(
            "worker.Worker", "--host", "127.0.0.1", "--cores", "2", "--memory", "3g", "--webui-port", "0", self.url
        )
        deadline = time.monotonic() + 60
        while not self.workers():
            assert time.monotonic() < deadline, "no worker has come"
            time.sleep(0.5)

    def workers(self) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._web}/json/", timeout=5) as answer:
                return int(json.load(answer)["aliveworkers"])
        except OSError:
            return 0

    def stop(self) -> None:
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _run(self, name: str, *arguments: str) -> None:
        ensure_java()
        spec = find_spec("pyspark")
        assert spec is not None and spec.origin is not None
        spark_home = Path(spec.origin).parent
        options = f"-Dspark.master.rest.enabled=true -Dspark.master.rest.port={self.rest_port}"
        environment = {
            **os.environ,
            "SPARK_HOME": str(spark_home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_MASTER_OPTS": options,
            "SPARK_WORKER_DIR": str(self.directory / "work"),
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }
        with (self.directory / f"{name}.log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    [str(spark_home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )


@contextlib.contextmanager
def standalone(directory: Path) -> Iterator[Standalone]:
    cluster = Standalone(directory)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
