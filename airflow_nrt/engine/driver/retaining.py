"""Retention by a driver: one step between batches, when there may be something to do."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.publish.marks import marks_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.model.plan import Plan

LOOK_SECONDS = 3_600.0
"""How often it looks for entries that have become old enough. After a checkpoint it looks at once."""
FINISH_SECONDS = 5.0

log = logging.getLogger(__name__)


class Retaining:
    """The retention of one home, by its driver. What can't be done is said in the log, and stops no driver."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Home, is_filling: Callable[[], bool]) -> None:
        self._retention = Retention(home, Keep.of(plan), partial(marks_of, spark, plan, home), is_filling)
        self._next = time.monotonic()
        self._said: str | None = None

    def look_again(self) -> None:
        """There may be something to do now."""
        self._next = time.monotonic()

    def step(self, of_home: Log) -> None:
        """Does one piece of work, if its time has come."""
        if time.monotonic() < self._next:
            return
        try:
            is_more = self._retention.step(of_home)
            self._say(self._retention.held and f"old log entries stay: {self._retention.held}")
        except (OSError, NrtError) as wrong:
            is_more = False
            self._say(f"old log entries stay, as they can't be removed: {wrong}")
        self._next = time.monotonic() + (0 if is_more else LOOK_SECONDS)

    def finish(self, of_home: Log) -> None:
        """Does what there is to do before the driver ends, for some seconds: the next one goes on."""
        until = time.monotonic() + FINISH_SECONDS
        self.look_again()
        while self._next <= time.monotonic() < until:
            self.step(of_home)

    def _say(self, text: str | None) -> None:
        if text is not None and text != self._said:
            log.warning("%s", text)
        self._said = text
