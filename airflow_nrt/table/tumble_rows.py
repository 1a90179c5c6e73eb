"""Row windows that begin anew at fixed times, or after so many rows: `TumbleRows` of FLIP-11, which PyFlink lacks.

rows      1  2     3  |  4   5     |
sums      1  3     6  |  4   9     |      what a tumbling window would hold so far

They are OVER: the window that holds a row is one more key. Of time, no frame is longer than a window, so that nothing
of a window is left once it is over (`engine/windows/lives.py`); of rows, the number of a window only grows.
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
from airflow_nrt.table.windows import Keys, OverWindow, TimedLast, current_row, keys_of, row_count, so_far
from airflow_nrt.table.wrong import Unfinished, wrong


@dataclass(frozen=True)
class _Partitioned(Unfinished):
    unfinished = "TumbleRows go on with .over(lit(10).minutes).on(col('ts')).alias('w')"
    partition: Keys

    def over(self, size: Expression) -> TimedLast:
        node = size.node if isinstance(size, Expression) else None
        rows = row_count(node)
        if rows is not None:
            if rows < 1:
                raise SqlError("TumbleRows.over: a window holds at least one row", here())
            return TimedLast(lambda name, time: _of_rows(self.partition, rows, name, time))
        if not isinstance(node, ast.Interval):
            raise wrong(
                "TumbleRows.over takes a length of time, such as lit(10).minutes, or a number of rows, such as "
                "row_interval(10)",
                size,
            )
        length = interval_ms(node)
        if length <= 0 or length % SECOND:
            raise SqlError(f"TumbleRows.over takes whole seconds, at least one, not {length} ms", here())
        return TimedLast(lambda name, time: _of_time(self.partition, node, name, time))


def _of_time(partition: Keys, size: ast.Interval, name: str, time: ast.Name) -> OverWindow:
    at = here()
    frame = ast.Frame("RANGE", ast.Bound(size, False), current_row(), "", at)
    order = ast.OrderItem(time, False, None)
    return OverWindow(name, ast.Over((*partition, _window_of(size, time)), (order,), frame, None, at))


def _window_of(size: ast.Interval, time: ast.Name) -> ast.Expression:
    """The number of the window that holds a row, from 1970 on, on the clock of its time attribute."""
    at = here()
    clock = ast.Cast(time, DataType("TIMESTAMP", precision=3), True, at)
    seconds = ast.Call("EXTRACT", (ast.Keyword("EPOCH", at), clock), at)
    length = ast.Cast(ast.Literal("number", str(interval_ms(size) // SECOND), at), DataType("DOUBLE"), True, at)
    return ast.Call("FLOOR", (ast.Binary("/", seconds, length, at),), at)


def _of_rows(partition: Keys, rows: int, name: str, time: ast.Name) -> OverWindow:
    at = here()
    number = f"{name}$row"
    counted = ast.Call("COUNT", (ast.Star(None, at),), at, over=so_far(partition, time))
    before = ast.Binary("-", ast.Name((number,), at), ast.Literal("number", "1", at), at)
    window = ast.Binary("/", before, ast.Literal("number", str(rows), at), at)
    over = so_far((*partition, window), time, growing=True)
    return OverWindow(name, over, (ast.SelectItem(counted, number),))


class TumbleRows:
    """For each row the rows of its window up to itself: `TumbleRows.over(lit(10).minutes).on(col("ts")).alias("w")`.

    A window of `row_interval(n)` holds n rows by time; the first one of a key begins with its first row.
    """

    @classmethod
    def partition_by(cls, *keys: Expression) -> _Partitioned:
        return _Partitioned(keys_of(*keys))

    @classmethod
    def over(cls, size: Expression) -> TimedLast:
        return _Partitioned(()).over(size)
