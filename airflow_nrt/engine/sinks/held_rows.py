"""What a sink holds of a result: rows that it can't take are left out before the log decides, each with the reason."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_field, with_times
from airflow_nrt.basics.types import Field

UNFIT = "_nrt_unfit"
"""The column with the reason why a sink can't take a row, NULL of others."""


@dataclass(frozen=True)
class Limit:
    """`fits` is SQL of Spark over a row of an insert, and is not false of rows that the sink takes. `reason` says what
    others do not fit."""

    fits: str
    reason: str


@dataclass(frozen=True)
class HeldRows:
    """The rows that a sink takes, all if it has no `limits`, and how its reader sees them.

    `seen` is SQL of columns that a reader sees otherwise. The values of `unread` columns are not read back.
    """

    limits: tuple[Limit, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()

    def split(self, frame: DataFrame, counts: Observation) -> tuple[DataFrame, DataFrame]:
        """The rows that fit, and the others with `_nrt_unfit`. An action on the first gives `counts` its `unfit`."""
        marked = self._marked(frame)
        fit = marked.observe(counts, F.count(UNFIT).alias("unfit")).where(f"{UNFIT} IS NULL").drop(UNFIT)
        return fit, marked.where(f"{UNFIT} IS NOT NULL")

    def as_seen(self, frame: DataFrame, fields: Sequence[Field]) -> DataFrame:
        """Rows of a result as a reader finds them in the sink."""
        seen = {**self.seen, **{one.name: _nothing(one) for one in fields if one.name in self.unread}}
        fit = self._fit(frame)
        return fit.withColumns({name: F.expr(sql) for name, sql in seen.items()}) if seen else fit

    def as_read(self, rows: DataFrame, fields: Sequence[Field]) -> DataFrame:
        """Rows that were read from the sink, which are compared with those that are `as_seen`."""
        unread = {one.name: F.expr(_nothing(one)) for one in fields if one.name in self.unread}
        fit = self._fit(rows)
        return fit.withColumns(unread) if unread else fit

    def _fit(self, frame: DataFrame) -> DataFrame:
        if not self.limits:
            return frame
        # Spark moves no filter below an observation.
        watched = self._marked(frame).observe(f"nrt-{uuid.uuid4().hex}", F.count(UNFIT).alias("unfit"))
        return watched.where(f"{UNFIT} IS NULL").drop(UNFIT)

    def _marked(self, frame: DataFrame) -> DataFrame:
        """The rows with the reason why they do not fit.

        CASE WHEN NOT coalesce(char_length(`shop`) <= 10, true) THEN 'column shop holds 10 characters' END
        """
        cases = (f"WHEN NOT coalesce({one.fits}, true) THEN {string_literal(one.reason)}" for one in self.limits)
        return frame.withColumn(UNFIT, F.expr(f"CASE {' '.join(cases)} END"))


EVERY_ROW = HeldRows()


def _nothing(one: Field) -> str:
    """SQL of the NULL of a column's type.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_nothing(Field("n", DataType("BIGINT"))))
    CAST(NULL AS BIGINT)
    """
    return f"CAST(NULL AS {one.type.spark})"


def shown(fields: Sequence[Field]) -> str:
    """SQL of a row as a person reads it.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(shown([Field("n", DataType("BIGINT"))]))
    left(to_json(struct(`n` AS `n`), map('ignoreNullFields', 'false')), 500)
    """
    names = ", ".join(f"{with_times(quote(one.name), one.type, as_field)} AS {quote(one.name)}" for one in fields)
    return f"left(to_json(struct({names}), map('ignoreNullFields', 'false')), {_LETTERS})"


_LETTERS = 500
