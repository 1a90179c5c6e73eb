"""Drivers that run beside a test, in its process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan


class Driver:
    """A driver in a thread of its own."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Home, available_now: bool = False) -> None:
        self.home = home
        self.stop = threading.Event()
        self.failure: BaseException | None = None
        self.runner = Runner(spark, plan, home, available_now, stop_asked=self.stop)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.runner.run()
        except BaseException as failure:
            self.failure = failure

    def beat(self) -> Heartbeat:
        beat = read_heartbeat(self.home.heartbeats)
        assert beat is not None
        return beat

    def until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not done():
            assert self.failure is None and self.thread.is_alive(), self.failure
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def end(self) -> None:
        self.stop.set()
        self.thread.join()
        assert self.failure is None, self.failure
