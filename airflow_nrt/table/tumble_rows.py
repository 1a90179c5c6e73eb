"""Row windows that begin anew at fixed times: `TumbleRows` of FLIP-11, which PyFlink lacks.

rows      1  2     3  |  4   5     |
sums      1  3     6  |  4   9     |      what a tumbling window would hold so far

They are OVER: the window that holds a row is one more key, and no frame is longer than a window. So nothing of a window
is left once it is over (`engine/windows/lives.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.report.durations import SECOND
from airflow_nrt.report.types import DataType
from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.intervals import interval_ms
from airflow_nrt.table.expression import Expression
from airflow_nrt.table.places import here
from airflow_nrt.table.windows import OverWindow, current_row


@dataclass(frozen=True)
class _Timed:
    """Such windows, whose alias is still to come."""

    partition: tuple[ast.Expression, ...]
    size: ast.Interval
    time: ast.Name

    def alias(self, name: str) -> OverWindow:
        at = here()
        frame = ast.Frame("RANGE", ast.Bound(self.size, False), current_row(), "", at)
        order = ast.OrderItem(self.time, False, None)
        return OverWindow(name, ast.Over((*self.partition, self._window()), (order,), frame, None, at))

    def _window(self) -> ast.Expression:
        """The number of the window that holds a row, from 1970 on, on the clock of its time attribute."""
        at = here()
        clock = ast.Cast(self.time, DataType("TIMESTAMP", precision=3), True, at)
        seconds = ast.Call("EXTRACT", (ast.Keyword("EPOCH", at), clock), at)
        size = ast.Cast(ast.Literal("number", str(interval_ms(self.size) // SECOND), at), DataType("DOUBLE"), True, at)
        return ast.Call("FLOOR", (ast.Binary("/", seconds, size, at),), at)


@dataclass(frozen=True)
class _Sized:
    partition: tuple[ast.Expression, ...]
    size: ast.Interval

    def on(self, time: Expression) -> _Timed:
        if not isinstance(time, Expression) or not isinstance(time.node, ast.Name):
            raise SqlError(f"a row window is on a time attribute: .on(col('ts')), not {time!r}", here())
        return _Timed(self.partition, self.size, time.node)


@dataclass(frozen=True)
class _Partitioned:
    partition: tuple[ast.Expression, ...]

    def over(self, size: Expression) -> _Sized:
        node = size.node if isinstance(size, Expression) else None
        if not isinstance(node, ast.Interval):
            raise SqlError(f"TumbleRows.over takes a length of time, such as lit(10).minutes, not {size!r}", here())
        length = interval_ms(node)
        if length <= 0 or length % SECOND:
            raise SqlError(f"TumbleRows.over takes whole seconds, at least one, not {length} ms", here())
        return _Sized(self.partition, node)


class TumbleRows:
    """For each row the rows of its window up to itself: `TumbleRows.over(lit(10).minutes).on(col("ts")).alias("w")`."""

    @classmethod
    def partition_by(cls, *keys: Expression) -> _Partitioned:
        return _Partitioned(tuple(key.node for key in keys))

    @classmethod
    def over(cls, size: Expression) -> _Sized:
        return _Partitioned(()).over(size)
