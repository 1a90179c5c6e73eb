"""Row windows that start again after a time without rows: `SessionRows` of FLIP-11, which PyFlink lacks.

rows      1  2   3            4  5
sums      1  3   6            4  9       what a session would hold so far
                  |-- gap --|

They are OVER: how many gaps there were before a row is one more key, which only grows.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.expressions.intervals import interval_ms
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import Unfinished, wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.windows.windows import Keys, OverWindow, TimedLast, keys_of, on_clock, so_far


@dataclass(frozen=True)
class _Partitioned(Unfinished):
    unfinished = "SessionRows go on with .with_gap(lit(10).minutes).on(col('ts')).alias('w')"
    partition: Keys

    def with_gap(self, gap: Expression) -> TimedLast:
        node = gap.node if isinstance(gap, Expression) else None
        if not isinstance(node, ast.Interval) or interval_ms(node) <= 0:
            raise wrong("SessionRows.with_gap takes a length of time, such as lit(10).minutes", gap)
        return TimedLast(lambda name, time: _session(self.partition, node, name, time))


def _session(partition: Keys, gap: ast.Interval, name: str, time: ast.Name) -> OverWindow:
    at = here()
    before, session = ast.Name((f"{name}$before",), at), ast.Name((f"{name}$session",), at)
    by_time = ast.Over(partition, (ast.OrderItem(time, False, None),), None, None, at)
    last = ast.Call("LAG", (time,), at, over=by_time)
    # Two rows exactly one gap apart belong to one session, as in SESSION.
    begins = ast.Binary(">", time, ast.Binary("+", before, gap, at), at)
    gaps = ast.Call("COUNT", (ast.Star(None, at),), at, filter=begins, over=so_far(partition, time))
    over = so_far((*partition, session), time, growing=True)
    first = ast.Call("MIN", (on_clock(time),), at, over=ast.Over((), (), None, name, at))
    # As for a session of groups: where it would end if no more rows came.
    end = ast.Binary("+", on_clock(time), gap, at)
    below = ast.SelectItem(last, before.parts[0]), ast.SelectItem(gaps, session.parts[0])
    return OverWindow(name, over, below, first, end)


class SessionRows:
    """For each row its session so far: `SessionRows.with_gap(lit(10).minutes).on(col("ts")).alias("w")`."""

    @classmethod
    def partition_by(cls, *keys: Expression) -> _Partitioned:
        return _Partitioned(keys_of(*keys))

    @classmethod
    def with_gap(cls, gap: Expression) -> TimedLast:
        return _Partitioned(()).with_gap(gap)
