"""Windows of a program: `Tumble.over(lit(10).minutes).on(col("ts")).alias("w")`, and row windows, as in PyFlink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import Unfinished, checked_name, wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import ROWS, Expression, FrameEnd, fields_of
from airflow_nrt.table.expressions.literals import whole_number


@dataclass(frozen=True)
class GroupWindow:
    """A window that rows are grouped by. `lengths` are the arguments of SQL's window after its time column, in that
    order."""

    kind: str
    lengths: tuple[ast.Expression, ...]
    time: ast.Name
    name: str
    at: Place

    @property
    def rows(self) -> tuple[int, ...] | None:
        """The lengths of a window that counts rows, None for a window of time."""
        counts = tuple(row_count(length) for length in self.lengths)
        return None if None in counts else tuple(count for count in counts if count is not None)

    @property
    def call(self) -> ast.Call:
        """The window in GROUP BY of SQL."""
        return ast.Call(self.kind, (self.time, *self.lengths), self.at)


@dataclass(frozen=True)
class TimedWindow(Unfinished):
    """A window without its alias yet."""

    unfinished = "a window goes on with .alias('w')"
    kind: str
    lengths: tuple[ast.Expression, ...]
    time: ast.Name

    def alias(self, name: str) -> GroupWindow:
        return GroupWindow(self.kind, self.lengths, self.time, checked_alias(name), here())


@dataclass(frozen=True)
class SizedWindow(Unfinished):
    """A window without its time attribute yet."""

    unfinished = "a window goes on with .on(col('ts')).alias('w')"
    kind: str
    lengths: tuple[ast.Expression, ...]

    def on(self, time: Expression) -> TimedWindow:
        if not isinstance(time, Expression) or not isinstance(time.node, ast.Name):
            raise wrong("a window is on a time attribute: .on(col('ts'))", time)
        return TimedWindow(self.kind, self.lengths, time.node)


class Tumble:
    """Windows of one size that follow each other."""

    @classmethod
    def over(cls, size: Expression) -> SizedWindow:
        return SizedWindow("TUMBLE", _lengths("Tumble.over", size))


@dataclass(frozen=True)
class _Slide(Unfinished):
    unfinished = "a sliding window goes on with .every(lit(5).minutes)"
    size: Expression

    def every(self, slide: Expression) -> SizedWindow:
        return SizedWindow("HOP", _lengths("Slide.over(…).every", slide, self.size))


class Slide:
    """Windows of one size that begin at another distance."""

    @classmethod
    def over(cls, size: Expression) -> _Slide:
        return _Slide(size)


@dataclass(frozen=True)
class _Cumulate(Unfinished):
    unfinished = "a cumulating window goes on with .step(lit(5).minutes)"
    size: Expression

    def step(self, step: Expression) -> SizedWindow:
        lengths = _lengths("Cumulate.over(…).step", step, self.size)
        _only_time("Cumulate", "a size and a step", lengths)
        return SizedWindow("CUMULATE", lengths)


class Cumulate:
    """Windows that grow from a common start, step by step, up to a size. PyFlink has them only in SQL."""

    @classmethod
    def over(cls, size: Expression) -> _Cumulate:
        return _Cumulate(size)


class Session:
    """Windows that end where no row comes for a while."""

    @classmethod
    def with_gap(cls, gap: Expression) -> SizedWindow:
        lengths = _lengths("Session.with_gap", gap)
        _only_time("a session window", "a gap", lengths)
        return SizedWindow("SESSION", lengths)


def _lengths(method: str, *values: Expression) -> tuple[ast.Expression, ...]:
    nodes = tuple(value.node if isinstance(value, Expression) else None for value in values)
    for value, node in zip(values, nodes):
        if not isinstance(node, ast.Interval) and row_count(node) is None:
            raise wrong(f"{method} takes a length, lit(10).minutes or row_interval(10)", value)
    if len({isinstance(node, ast.Interval) for node in nodes}) > 1:
        raise SqlError(f"{method}: both lengths are times, or both are numbers of rows", here())
    if any(row_count(node) == 0 for node in nodes):
        raise SqlError(f"{method}: a window holds at least one row", here())
    return tuple(node for node in nodes if node is not None)


def _only_time(window: str, what: str, lengths: tuple[ast.Expression, ...]) -> None:
    if not all(isinstance(length, ast.Interval) for length in lengths):
        raise SqlError(f"{window} takes {what} of time, as in lit(10).minutes, not a number of rows", here())


def row_count(node: ast.Expression | None) -> int | None:
    """The number of rows that `row_interval` gives."""
    is_rows = isinstance(node, ast.Call) and node.name == ROWS
    return whole_number(node.arguments[0]) if is_rows and isinstance(node, ast.Call) else None


# ---------------------------------------------------------------------------------------------------- row windows


Keys = tuple[ast.Expression, ...]


@dataclass(frozen=True)
class OverWindow:
    """A row window: `name` is its name in `.over(col(name))`.

    It may read columns that the table itself does not have: those `below`, each over the table and the ones before it.
    `start` and `end` are those of the row's window so far, if it has one; `on` is its column if that must be a time
    attribute.
    """

    name: str
    over: ast.Over
    below: tuple[ast.SelectItem, ...] = ()
    start: ast.Expression | None = None
    end: ast.Expression | None = None
    on: ast.Name | None = None


@dataclass(frozen=True)
class Ordered(Unfinished):
    """A row window with its order; the bounds are `low` to `high`, of rows or of time."""

    unfinished = "a row window goes on with .preceding(…), .following(…) and .alias('w')"
    partition: Keys
    order: ast.Expression
    low: Expression | None = None
    high: Expression | None = None

    def preceding(self, preceding: Expression) -> Ordered:
        return Ordered(self.partition, self.order, preceding, self.high)

    def following(self, following: Expression) -> Ordered:
        return Ordered(self.partition, self.order, self.low, following)

    def alias(self, name: str) -> OverWindow:
        return OverWindow(
            checked_alias(name), ast.Over(self.partition, (_item(self.order),), self._frame(), None, here())
        )

    def _frame(self) -> ast.Frame | None:
        bounds = [
            _bound(value, following) for value, following in ((self.low, False), (self.high, True)) if value is not None
        ]
        units = {unit for unit, _ in bounds}
        if not bounds:
            return None
        if len(units) > 1:
            raise SqlError("preceding and following are both a number of rows, or both a length of time", here())
        unit = units.pop()
        low = _bound(self.low, False)[1] if self.low is not None else ast.Bound(None, False)
        high = _bound(self.high, True)[1] if self.high is not None else current_row()
        return ast.Frame(unit, low, high, "", here())


def _item(order: ast.Expression) -> ast.OrderItem:
    if isinstance(order, ast.Call) and order.name in ("asc", "desc"):
        return ast.OrderItem(order.arguments[0], order.name == "desc", None)
    return ast.OrderItem(order, False, None)


def checked_alias(name: Any) -> str:
    """Raises SqlError if it is no text."""
    return checked_name("a window's alias is a text, as in .alias('w')", name)


def keys_of(*keys: Expression) -> Keys:
    """The columns by which rows are partitioned or ordered."""
    return tuple(key.node for key in fields_of(keys))


def so_far(partition: Keys, time: ast.Name, growing: bool = False) -> ast.Over:
    """All rows of a partition by time, up to the current one."""
    at = here()
    frame = ast.Frame("ROWS", ast.Bound(None, False), current_row(), "", at)
    return ast.Over(partition, (ast.OrderItem(time, False, None),), frame, None, at, growing)


def on_clock(time: ast.Name) -> ast.Cast:
    """A time attribute on its clock, without a zone."""
    return ast.Cast(time, DataType("TIMESTAMP", precision=3), True, here())


def current_row() -> ast.Bound:
    """The bound of a frame that ends, or begins, with the row itself."""
    return ast.Bound(ast.Literal("number", "0", here()), True)


def _bound(value: Expression, following: bool) -> tuple[str, ast.Bound]:
    """The unit of a bound, and the bound."""
    if isinstance(value, FrameEnd):
        unit = "ROWS" if value.unit == "ROW" else value.unit
        return unit, current_row() if value.word == "CURRENT" else ast.Bound(None, following)
    node = value.node if isinstance(value, Expression) else None
    rows = row_count(node)
    if rows is not None:
        return "ROWS", current_row() if rows == 0 else ast.Bound(ast.Literal("number", str(rows), here()), following)
    if isinstance(node, ast.Interval):
        return "RANGE", ast.Bound(node, following)
    raise wrong(
        "a bound is row_interval(n), a length such as lit(10).minutes, UNBOUNDED_ROW, UNBOUNDED_RANGE, CURRENT_ROW "
        "or CURRENT_RANGE",
        value,
    )


@dataclass(frozen=True)
class _Partitioned(Unfinished):
    unfinished = "a row window goes on with .order_by(col('ts')).alias('w')"
    partition: Keys

    def order_by(self, order: Expression) -> Ordered:
        return Ordered(self.partition, keys_of(order)[0])

    def alias(self, name: str) -> OverWindow:
        name = checked_alias(name)
        raise SqlError(f"the row window {name!r} has no order: write Over.partition_by(…).order_by(col('ts'))", here())


class Over:
    """Row windows: for each row the rows before it, by time."""

    @classmethod
    def order_by(cls, order: Expression) -> Ordered:
        return Ordered((), keys_of(order)[0])

    @classmethod
    def partition_by(cls, *keys: Expression) -> _Partitioned:
        return _Partitioned(keys_of(*keys))


@dataclass(frozen=True)
class NamedLast(Unfinished):
    """Row windows without their alias yet; `make(name)` makes them."""

    unfinished = "a row window goes on with .alias('w')"
    make: Callable[[str], OverWindow]

    def alias(self, name: str) -> OverWindow:
        return self.make(checked_alias(name))


@dataclass(frozen=True)
class TimedLast(Unfinished):
    """Row windows without their time attribute yet; `make(name, time)` makes them."""

    unfinished = "a row window goes on with .on(col('ts')).alias('w')"
    make: Callable[[str, ast.Name], OverWindow]

    def on(self, time: Expression) -> NamedLast:
        if not isinstance(time, Expression) or not isinstance(time.node, ast.Name):
            raise wrong("a row window is on a time attribute: .on(col('ts'))", time)
        column = time.node
        return NamedLast(lambda name: replace(self.make(name, column), on=column))
