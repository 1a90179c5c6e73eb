"""Rows that their sinks can't take are left out before they are staged, shown in the log, and counted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.failures.servers import AWAY
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.held_rows import UNFIT, HeldRows, Limit, shown
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.notes.left_out import LeftOut
from airflow_nrt.home.notes.limits import note_limits, noted_limits
from airflow_nrt.home.set_aside import all_set_aside
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert

Write = Callable[[DataFrame], Iterable[Published]]

log = logging.getLogger(__name__)


def held_rows(spark: SparkSession, home: Home, insert: Insert) -> HeldRows:
    """The rows that the sink of an insert holds: those that it can take, but for those that were set aside.

    Raises InputError. Where the sink is away, it is what it was when it answered last.
    """
    try:
        held = sink_of(insert).held(spark, insert)
        note_limits(home, insert.name, tuple((one.fits, one.reason) for one in held.limits))
    except AWAY:
        held = HeldRows(tuple(Limit(fits, reason) for fits, reason in noted_limits(home, insert.name)))
    aside = _set_aside(home, insert)
    return HeldRows((*held.limits, *aside), held.seen, held.unread) if aside else held


def _set_aside(home: Home, insert: Insert) -> list[Limit]:
    """A limit for each reason why rows were set aside.

    NOT (_nrt_end <=> 1718705400000L AND to_json(array('7', NULL)) = '["7"]')
    """
    by_reason: dict[str, list[str]] = {}
    for one in all_set_aside(home):
        if one.insert == insert.name:
            end = f"{WINDOW_END} <=> {one.end}L AND " if one.end is not None else ""
            same = f"({end}{sink_of(insert).content(insert)} = {string_literal(one.content)})"
            by_reason.setdefault(f"set aside: {one.reason}", []).append(same)
    return [Limit(f"NOT ({' OR '.join(rows)})", reason) for reason, rows in by_reason.items()]


class Fitting:
    """What the sinks of one report hold, each asked once."""

    def __init__(self, spark: SparkSession, home: Home) -> None:
        self._spark = spark
        self._home = home
        self._known: dict[str, HeldRows] = {}
        self._left: dict[str, dict[str, LeftOut]] = {}

    def stage(self, insert: Insert, frame: DataFrame, write: Write) -> tuple[list[Published], int]:
        """What `write` makes of the rows that fit, and the number of the others, which `take` gives."""
        if insert.name not in self._known:
            self._known[insert.name] = held_rows(self._spark, self._home, insert)
        held = self._known[insert.name]
        if not held.limits:
            return list(write(frame)), 0
        counts = Observation()
        fit, unfit = held.split(frame, counts)
        made = list(write(fit))
        count = counts.get["unfit"]
        if count:
            self._note(insert, unfit)
        return made, count

    def take(self) -> Mapping[str, Mapping[str, LeftOut]]:
        """The rows that were left out since the last call, by insert and reason."""
        taken, self._left = self._left, {}
        return taken

    def _note(self, insert: Insert, unfit: DataFrame) -> None:
        row = F.expr(shown(insert.query.fields))
        mine = self._left.setdefault(insert.name, {})
        for reason, count, last in unfit.groupBy(UNFIT).agg(F.count("*"), F.max(row)).collect():
            log.warning("%s: %s rows are left out, %s: %s", insert.name, count, reason, last)
            mine[reason] = mine.get(reason, LeftOut(0, "")).plus(LeftOut(count, last))
