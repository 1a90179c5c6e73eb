"""What the computation of an entry has to be noted for: values that are NULL by an error, rows that no sink takes."""

from __future__ import annotations

import logging

from pyspark.sql import SparkSession

from airflow_nrt.engine.functions.nulled_values import nulled
from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.left_out import note_left_out
from airflow_nrt.home.notes.nulled import NulledExpression, note_nulled

log = logging.getLogger(__name__)


class EntryNotes:
    """The notes of one home, entry by entry, of what a session computes and a `Fitting` stages."""

    def __init__(self, spark: SparkSession, home: Home, fitting: Fitting) -> None:
        self._spark = spark
        self._home = home
        self._fitting = fitting

    def begin(self) -> None:
        """Forgets what a computation that failed has counted."""
        nulled(self._spark)
        self._fitting.take()

    def write(self, entry: int | None) -> list[str]:
        """Notes what was counted since, as that of a driver's entry with this number; gives lines about the values that
        are NULL."""
        found, left_out = nulled(self._spark), self._fitting.take()
        by_expression: dict[str, NulledExpression] = {}
        for one in found:
            counted = NulledExpression(one.count, one.computation, {one.place: one.count} if one.place else {})
            known = by_expression.get(one.expression)
            by_expression[one.expression] = counted if known is None else known.plus(counted)
        lines = [f"{name} can't be computed, and is NULL: {one}" for name, one in by_expression.items()]
        for line in lines:
            log.warning("%s", line)
        note_nulled(self._home, entry, by_expression)
        note_left_out(self._home, entry, left_out)
        return lines
