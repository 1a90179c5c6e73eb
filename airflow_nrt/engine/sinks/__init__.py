"""Connectors that results go to. A sink stages results durably; once the log has decided, it publishes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame

from airflow_nrt.engine.sinks import filesystem, standard_output
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.plan import Insert


@dataclass(frozen=True)
class Sink:
    """How results of one connector become visible.

    `stage(frame, insert, directory, state)` writes the rows of an insert (with `_nrt_end` if it is windowed) below a
    new directory and says what it wrote; `tasks` bounds the tasks of the write. `publish(home, insert, published)`
    makes one staged file visible, exactly once however often it is called; it is called in the order of the log.
    The rows of a file have the insert's `order`, if it has one.
    A new version of a window takes the place of the one before, or, if the insert `tells_changes`, is staged as what
    has changed (`_nrt_op`).
    """

    check: Callable[[Home, Insert], None]
    stage: Callable[[DataFrame, Insert, Path, str, int], Iterable[Published]]
    publish: Callable[[Home, Insert, Published], None]


SINKS = {
    "filesystem": Sink(filesystem.check, filesystem.stage, filesystem.publish),
    "print": Sink(standard_output.check, standard_output.stage, standard_output.publish),
}


def sink_of(insert: Insert) -> Sink:
    return SINKS[insert.sink.connector]
