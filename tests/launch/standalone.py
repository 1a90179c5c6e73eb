"""A real Spark standalone cluster on this machine, from the installed pyspark: a master and its workers."""

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

import psutil

from airflow_nrt.engine.java.finding import ensure_java


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Standalone:
    """`url` is the master's, `rest_port` where it tells of drivers. Cores and memory are those of a worker."""

    def __init__(self, directory: Path, workers: int = 1, cores: int = 2, memory: str = "3g") -> None:
        self.directory = directory
        self._workers, self._cores, self._memory = workers, cores, memory
        self.port, self.rest_port, self._web = _free_port(), _free_port(), _free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        web = str(self._web)
        self._run("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", web)
        for _ in range(self._workers):
            self.add_worker(self._cores, self._memory)
        deadline = time.monotonic() + 60
        while self.workers() < self._workers:
            assert time.monotonic() < deadline, "a worker has not come"
            time.sleep(0.5)

    def add_worker(self, cores: int, memory: str) -> None:
        """One more, which will come."""
        size = ("--cores", str(cores), "--memory", memory)
        self._run("worker.Worker", "--host", "127.0.0.1", *size, "--webui-port", "0", self.url)

    def workers(self) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._web}/json/", timeout=5) as answer:
                return int(json.load(answer)["aliveworkers"])
        except OSError:
            return 0

    def cpu(self) -> float:
        """Seconds of all its processes, once no executor is left."""
        processes = [psutil.Process(process.pid) for process in self._processes]
        deadline = time.monotonic() + 30
        while any(process.children() for process in processes) and time.monotonic() < deadline:
            time.sleep(0.1)
        return sum(sum(process.cpu_times()[:4]) for process in processes)

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
def standalone(directory: Path, workers: int = 1, cores: int = 2, memory: str = "3g") -> Iterator[Standalone]:
    cluster = Standalone(directory, workers, cores, memory)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
