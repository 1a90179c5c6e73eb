"""The progress of a batch: Spark's tasks while it computes, windows and days while it publishes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import counted
from airflow_nrt.home.log.entries import Published

Progress = Callable[[str], None]
EVERY_SECONDS = 10.0
"""The time between two lines. A shorter step has no line."""


@contextmanager
def shown_tasks(spark: SparkSession, what: str, say: Progress, every: float = EVERY_SECONDS) -> Iterator[None]:
    """Says every `every` seconds how many tasks of Spark's running stages are done, until the block ends."""
    over = threading.Event()
    watching = threading.Thread(target=_watch, args=(spark.sparkContext, what, say, every, over), daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


def _watch(context: SparkContext, what: str, say: Progress, every: float, over: threading.Event) -> None:
    began = time.monotonic()
    tracker = context.statusTracker()
    while not over.wait(every):
        # If the context ends meanwhile, the cause is reported elsewhere.
        with suppress(Exception):
            known = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) is not None]
            tasks, done = sum(one.numTasks for one in known), sum(one.numCompletedTasks for one in known)
            share = (
                f", {done:,} of {counted(tasks, 'task')} of this step done ({done * 100 // tasks} %)" if tasks else ""
            )
            say(f"{what}: {time.monotonic() - began:.0f} s{share}")


class ShownWindows:
    """Counts published windows; says every `every` seconds how many, what share, and up to which day."""

    def __init__(self, total: int, say: Progress, every: float = EVERY_SECONDS) -> None:
        self.total = total
        self.say = say
        self.every = every
        self.count = 0
        self._due = time.monotonic() + every

    def __call__(self, published: Published) -> None:
        self.count += 1
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + self.every
            share = self.count * 100 // self.total
            self.say(f"published {self.count:,} of {counted(self.total, 'window')} ({share} %), {_place(published)}")


def span_of(start: int, end: int) -> str:
    """`31 days` for an interval (ms), rounded up."""
    return counted(-(-(end - start) // DAY), "day")


def _place(published: Published) -> str:
    return f"up to {format_instant(published.end)}"
