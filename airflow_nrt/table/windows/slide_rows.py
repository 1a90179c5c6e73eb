"""Row windows around a row: `SlideRows` of FLIP-11, which PyFlink lacks. They are OVER with frames that end after the
row.

A row with `following` waits for the rows after it: its result comes when the watermark has reached the end of its
frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from airflow_nrt.table.checks.arguments import Unfinished
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.windows.windows import Keys, NamedLast, Ordered, TimedLast, keys_of


@dataclass(frozen=True)
class _Around(Unfinished):
    unfinished = "SlideRows go on with .preceding(…).following(…).on(col('ts')).alias('w')"
    partition: Keys
    low: Expression | None = None
    high: Expression | None = None

    def preceding(self, preceding: Expression) -> _Around:
        return replace(self, low=preceding)

    def following(self, following: Expression) -> _Around:
        return replace(self, high=following)

    @property
    def unbounded_preceding(self) -> _Around:
        return replace(self, low=None)

    def on(self, time: Expression) -> NamedLast:
        return TimedLast(lambda name, at: Ordered(self.partition, at, self.low, self.high).alias(name)).on(time)


class SlideRows:
    """For each row those around it: `SlideRows.preceding(lit(5).minutes).following(lit(5).minutes).on(col("ts"))`.

    Without `preceding`, which can be spelled `unbounded_preceding`, it is all rows before, without `following` those up
    to the row itself; an alias comes last.
    """

    unbounded_preceding = _Around(())

    @classmethod
    def partition_by(cls, *keys: Expression) -> _Around:
        return _Around(keys_of(*keys))

    @classmethod
    def preceding(cls, preceding: Expression) -> _Around:
        return _Around((), preceding)

    @classmethod
    def following(cls, following: Expression) -> _Around:
        return _Around((), None, following)
