"""Row windows that start again at fixed times, or after a number of rows: `TumbleRows` of FLIP-11, which PyFlink lacks.

rows      1  2     3  |  4   5     |
sums      1  3     6  |  4   9     |      what a tumbling window would hold so far

They are OVER: the window that holds a row is one more key. With a time, no frame is longer than a window, so that no
state of a window is left once it is over (`engine/windows/over/key_expiry.py`); with a number of rows, the number of a
window only grows.
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.intervals import interval_ms
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import Unfinished, wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.windows.windows import (
    Keys,
    OverWindow,
    TimedLast,
    current_row,
    keys_of,
    on_clock,
    row_count,
    so_far,
)


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
        if interval_ms(node) <= 0:
            raise wrong("TumbleRows.over takes a length of time, such as lit(10).minutes", size)
        return TimedLast(lambda name, time: _of_time(self.partition, node, name, time))


def _of_time(partition: Keys, size: ast.Interval, name: str, time: ast.Name) -> OverWindow:
    at = here()
    frame = ast.Frame("RANGE", ast.Bound(size, False), current_row(), "", at)
    order = ast.OrderItem(time, False, None)
    over = ast.Over((*partition, _window_of(interval_ms(size), time)), (order,), frame, None, at)
    start = _start(interval_ms(size), time)
    return OverWindow(name, over, start=start, end=ast.Binary("+", start, size, at))


def _window_of(size: int, time: ast.Name) -> ast.Expression:
    """The number of the window that holds a row, from 1970 on, on the clock of its time attribute."""
    at = here()
    if size % SECOND == 0:
        since, length = _extracted("EPOCH", time), size // SECOND
    else:
        since, length = _milliseconds(time), size
    return ast.Call("FLOOR", (ast.Binary("/", since, ast.Cast(_number(length), DataType("DOUBLE"), True, at), at),), at)


def _start(size: int, time: ast.Name) -> ast.Expression:
    """The time at which the window of a row begins."""
    at = here()
    begins = ast.Binary("*", _window_of(size, time), _number(size), at)
    back = ast.Cast(ast.Binary("-", begins, _milliseconds(time), at), DataType("BIGINT"), True, at)
    return ast.Call("TIMESTAMPADD", (ast.Keyword("MILLISECOND", at), back, on_clock(time)), at)


def _milliseconds(time: ast.Name) -> ast.Expression:
    """Since 1970."""
    seconds = ast.Binary("*", _extracted("EPOCH", time), _number(SECOND), here())
    return ast.Binary("+", seconds, _extracted("MILLISECOND", time), here())


def _extracted(unit: str, time: ast.Name) -> ast.Expression:
    return ast.Call("EXTRACT", (ast.Keyword(unit, here()), on_clock(time)), here())


def _number(value: int) -> ast.Literal:
    return ast.Literal("number", str(value), here())


def _of_rows(partition: Keys, rows: int, name: str, time: ast.Name) -> OverWindow:
    at = here()
    number = f"{name}$row"
    counted = ast.Call("COUNT", (ast.Star(None, at),), at, over=so_far(partition, time))
    before = ast.Binary("-", ast.Name((number,), at), _number(1), at)
    window = ast.Binary("/", before, _number(rows), at)
    over = so_far((*partition, window), time, growing=True)
    return OverWindow(name, over, (ast.SelectItem(counted, number),))


class TumbleRows:
    """For each row the rows of its window up to itself: `TumbleRows.over(lit(10).minutes).on(col("ts")).alias("w")`.

    A window of `row_interval(n)` holds n rows by time; the first window of a key begins with its first row.
    """

    @classmethod
    def partition_by(cls, *keys: Expression) -> _Partitioned:
        return _Partitioned(keys_of(*keys))

    @classmethod
    def over(cls, size: Expression) -> TimedLast:
        return _Partitioned(()).over(size)
