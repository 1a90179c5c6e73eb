"""Expressions of a program, as PyFlink writes them: each holds the expression of SQL that it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, NoReturn

from airflow_nrt.report.errors import InputError
from airflow_nrt.report.types import DataType, decimal
from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.table.places import here
from airflow_nrt.table.vocabulary import AGGREGATES, METHODS, PROPERTIES

ROWS = "row_interval"
"""The call that stands for a number of rows where windows take one."""
WINDOW_PROPERTIES = ("start", "end", "rowtime", "proctime")
_MOST_DIGITS = 10


class TimeIntervalUnit(Enum):
    """What times are cut to, or what is taken out of them."""

    YEAR = "YEAR"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    HOUR = "HOUR"
    MINUTE = "MINUTE"
    SECOND = "SECOND"
    MILLISECOND = "MILLISECOND"
    MICROSECOND = "MICROSECOND"


class Expression:
    """`node` is what it means in SQL, `names` what `.alias(…)` calls its column or, of a table function, its columns.

    Operators make expressions: `&`, `|` and `~` for SQL's AND, OR and NOT. Plain functions are in `vocabulary.py`.
    """

    def __init__(self, node: ast.Expression, names: tuple[str, ...] = ()) -> None:
        self.node = node
        self.names = names

    def __repr__(self) -> str:
        from airflow_nrt.sql.unparse import text_of

        return text_of(self.node) + (f" AS {', '.join(self.names)}" if self.names else "")

    def __getattr__(self, name: str) -> Any:
        if name in PROPERTIES:
            return _call(PROPERTIES[name], self)
        if name in AGGREGATES:
            return _call(AGGREGATES[name], self)
        if name in METHODS:
            return self._method(METHODS[name])
        from airflow_nrt.report.options import nearest

        hint = nearest(name, [*PROPERTIES, *METHODS, *AGGREGATES, *vars(Expression)])
        raise AttributeError(f"an expression has no {name!r}{hint}")

    def _method(self, function: str) -> Callable[..., Expression]:
        return lambda *arguments: _call(function, self, *arguments)

    def __bool__(self) -> NoReturn:
        raise SqlError(
            f"({self!r}) has no truth yet, so that `and`, `or`, `not` and `if` can't ask for it: write & for AND, "
            "| for OR and ~ for NOT, each side in parentheses",
            here(),
        )

    def __iter__(self) -> NoReturn:
        raise TypeError("an expression is one value: there is nothing in it to go through")

    # ------------------------------------------------------------------ operators

    def __add__(self, other: Any) -> Expression:
        return _binary("+", self, other)

    def __radd__(self, other: Any) -> Expression:
        return _binary("+", other, self)

    def __sub__(self, other: Any) -> Expression:
        return _binary("-", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _binary("-", other, self)

    def __mul__(self, other: Any) -> Expression:
        return _binary("*", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _binary("*", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _binary("/", other, self)

    def __mod__(self, other: Any) -> Expression:
        return _binary("%", self, other)

    def __rmod__(self, other: Any) -> Expression:
        return _binary("%", other, self)

    def __pow__(self, other: Any) -> Expression:
        return _call("POWER", self, other)

    def __rpow__(self, other: Any) -> Expression:
        return _call("POWER", other, self)

    def __neg__(self) -> Expression:
        return Expression(ast.Unary("-", self.node, here()))

    def __invert__(self) -> Expression:
        return Expression(ast.Unary("NOT", self.node, here()))

    def __and__(self, other: Any) -> Expression:
        return _binary("AND", self, other)

    def __rand__(self, other: Any) -> Expression:
        return _binary("AND", other, self)

    def __or__(self, other: Any) -> Expression:
        return _binary("OR", self, other)

    def __ror__(self, other: Any) -> Expression:
        return _binary("OR", other, self)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _binary("=", self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return _binary("<>", self, other)

    def __lt__(self, other: Any) -> Expression:
        return _binary("<", self, other)

    def __le__(self, other: Any) -> Expression:
        return _binary("<=", self, other)

    def __gt__(self, other: Any) -> Expression:
        return _binary(">", self, other)

    def __ge__(self, other: Any) -> Expression:
        return _binary(">=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def log(self, base: Any = None) -> Expression:
        """The natural logarithm, or that to a base."""
        return _call("LN", self) if base is None else _call("LOG", base, self)

    # ------------------------------------------------------------------ tests

    @property
    def is_null(self) -> Expression:
        return self._is("NULL")

    @property
    def is_not_null(self) -> Expression:
        return self._is("NULL", negated=True)

    @property
    def is_true(self) -> Expression:
        return self._is("TRUE")

    @property
    def is_not_true(self) -> Expression:
        return self._is("TRUE", negated=True)

    @property
    def is_false(self) -> Expression:
        return self._is("FALSE")

    @property
    def is_not_false(self) -> Expression:
        return self._is("FALSE", negated=True)

    def _is(self, what: str, negated: bool = False) -> Expression:
        return Expression(ast.Is(self.node, what, negated, here()))

    def between(self, low: Any, high: Any) -> Expression:
        return Expression(ast.Between(self.node, node_of(low), node_of(high), False, here()))

    def not_between(self, low: Any, high: Any) -> Expression:
        return Expression(ast.Between(self.node, node_of(low), node_of(high), True, here()))

    def in_(self, first: Any, *others: Any) -> Expression:
        """Whether it is one of these values, or one of the rows of a table with one column."""
        query = getattr(first, "query", None)
        values = () if query is not None else tuple(node_of(value) for value in (first, *others))
        return Expression(ast.In(self.node, values, query, False, here()))

    def like(self, pattern: Any) -> Expression:
        return Expression(ast.Like(self.node, node_of(pattern), None, False, here()))

    def then(self, if_true: Any, if_false: Any) -> Expression:
        """One value where this is true, the other where it is not."""
        branch = (self.node, node_of(if_true))
        return Expression(ast.Case(None, (branch,), node_of(if_false), here()))

    # ------------------------------------------------------------------ types, names, parts

    def alias(self, name: str, *others: str) -> Expression:
        return Expression(self.node, (name, *others))

    def cast(self, data_type: DataType) -> Expression:
        """As another type; a value that it can't hold ends the report."""
        return Expression(ast.Cast(self.node, data_type, True, here()))

    def try_cast(self, data_type: DataType) -> Expression:
        """As another type; NULL where that can't hold the value."""
        return Expression(ast.Cast(self.node, data_type, False, here()))

    def get(self, field: str) -> Expression:
        """A field of a ROW column."""
        if not isinstance(self.node, ast.Name):
            raise SqlError(f"a field is taken of a column: ({self!r}) is none", here())
        return Expression(ast.Name((*self.node.parts, field), here()))

    def at(self, index: Any) -> Expression:
        """An element of an ARRAY, from 1, or the value of a MAP's key."""
        return Expression(ast.Index(self.node, node_of(index), here()))

    # ------------------------------------------------------------------ time and text

    def extract(self, unit: TimeIntervalUnit) -> Expression:
        return Expression(ast.Call("EXTRACT", (_keyword(unit), self.node), here()))

    def floor(self, unit: TimeIntervalUnit | None = None) -> Expression:
        return self._rounded("FLOOR", unit)

    def ceil(self, unit: TimeIntervalUnit | None = None) -> Expression:
        return self._rounded("CEIL", unit)

    def _rounded(self, function: str, unit: TimeIntervalUnit | None) -> Expression:
        return Expression(ast.Call(function, (self.node, *([_keyword(unit)] if unit is not None else [])), here()))

    def trim(self, character: Any = " ") -> Expression:
        return self._trimmed("BOTH", character)

    @property
    def trim_leading(self) -> Expression:
        return self._trimmed("LEADING", " ")

    @property
    def trim_trailing(self) -> Expression:
        return self._trimmed("TRAILING", " ")

    def _trimmed(self, side: str, character: Any) -> Expression:
        at = here()
        return Expression(ast.Call("TRIM", (ast.Keyword(side, at), node_of(character), self.node), at))

    # ------------------------------------------------------------------ aggregates and windows

    @property
    def sum0(self) -> Expression:
        return _call("COALESCE", _call("SUM", self), 0)

    def list_agg(self, separator: str = ",") -> Expression:
        return _call("LISTAGG", self, separator)

    def percentile(self, percentage: Any, frequency: Any = None) -> Expression:
        return _call("PERCENTILE", self, percentage, *([frequency] if frequency is not None else []))

    @property
    def distinct(self) -> Expression:
        """The aggregate of distinct values: `col("k").count.distinct`."""
        if not isinstance(self.node, ast.Call):
            raise SqlError(
                f"distinct stands behind an aggregate, as in col('k').count.distinct; here is {self!r}", here()
            )
        return Expression(replace(self.node, distinct=True))

    def over(self, window: Expression) -> Expression:
        """The aggregate of a row window: `col("v").sum.over(col("w"))`."""
        if not isinstance(self.node, ast.Call):
            raise SqlError(
                f"over stands behind an aggregate, as in col('v').sum.over(col('w')); here is {self!r}", here()
            )
        if not isinstance(window.node, ast.Name):
            raise SqlError("over takes the alias of a row window: .over(col('w'))", here())
        return Expression(replace(self.node, over=ast.Over((), (), None, window.node.parts[0], here())))

    @property
    def start(self) -> Expression:
        return _of_window("start", self)

    @property
    def end(self) -> Expression:
        return _of_window("end", self)

    @property
    def rowtime(self) -> Expression:
        return _of_window("rowtime", self)

    @property
    def proctime(self) -> Expression:
        return _of_window("proctime", self)

    @property
    def asc(self) -> Expression:
        return _call("asc", self)

    @property
    def desc(self) -> Expression:
        return _call("desc", self)

    # ------------------------------------------------------------------ lengths

    @property
    def rows(self) -> Expression:
        return _call(ROWS, self)

    @property
    def milli(self) -> Expression:
        return _interval(self, 1)

    @property
    def second(self) -> Expression:
        return _interval(self, 1000)

    @property
    def minute(self) -> Expression:
        return _interval(self, 60_000)

    @property
    def hour(self) -> Expression:
        return _interval(self, 3_600_000)

    @property
    def day(self) -> Expression:
        return _interval(self, 86_400_000)

    @property
    def week(self) -> Expression:
        return _interval(self, 7 * 86_400_000)

    @property
    def month(self) -> Expression:
        return _months(self, 1)

    @property
    def quarter(self) -> Expression:
        return _months(self, 3)

    @property
    def year(self) -> Expression:
        return _months(self, 12)

    millis, seconds, minutes, hours, days, weeks = milli, second, minute, hour, day, week
    months, quarters, years = month, quarter, year


def fields_of(values: Sequence[Any]) -> tuple[Expression, ...]:
    """What a method is given as columns. Raises SqlError for a text: it may be meant as either."""
    for value in values:
        if isinstance(value, str):
            raise SqlError(f"write col({value!r}) for the column, lit({value!r}) for the text", here())
    return tuple(value if isinstance(value, Expression) else Expression(node_of(value)) for value in values)


def node_of(value: Any) -> ast.Expression:
    """What a value means: an expression itself, anything else as a literal. Raises InputError if SQL has none."""
    if isinstance(value, Expression):
        return value.node
    at = here()
    match value:
        case None:
            return ast.Literal("null", "NULL", at)
        case bool():
            return ast.Literal("boolean", str(value).upper(), at)
        case int() | float() | Decimal():
            return _number(value)
        case str():
            return ast.Literal("string", value, at)
        case datetime():
            return ast.Literal("TIMESTAMP", _shown(value), at)
        case date():
            return ast.Literal("DATE", value.isoformat(), at)
        case timedelta():
            return _duration(value // timedelta(milliseconds=1))
        case list() | tuple():
            return ast.Call("ARRAY[ ]", tuple(node_of(one) for one in value), at)
    raise InputError(f"{at}: {value!r} is no value of SQL: there are numbers, texts, truth values, dates and times")


def _number(value: float | Decimal) -> ast.Expression:
    """An int is INT or BIGINT, a float DOUBLE, a Decimal DECIMAL."""
    if value != value or value in (float("inf"), float("-inf")):
        raise InputError(f"{here()}: SQL has no literal for {value}")
    size = abs(value)
    text = f"{size:f}" if isinstance(size, Decimal) else f"{size!r}"
    if isinstance(size, float) and "e" not in text:
        text += "E0"
    literal: ast.Expression = ast.Literal("number", text, here())
    if isinstance(size, Decimal) and "." not in text:
        # The literal of SQL is an integer.
        literal = ast.Cast(ast.Literal("string", text, here()), decimal(len(text), 0, nullable=False), True, here())
    return ast.Unary("-", literal, here()) if value < 0 else literal


def _shown(value: datetime) -> str:
    if value.tzinfo is not None:
        raise InputError(f"{here()}: {value} has a zone, a TIMESTAMP has none: leave it out")
    return value.isoformat(sep=" ", timespec="milliseconds" if value.microsecond % 1000 == 0 else "microseconds")


def call_of(function: str, *arguments: Any) -> Expression:
    """A call of a function of SQL."""
    return Expression(ast.Call(function, tuple(node_of(argument) for argument in arguments), here()))


_call = call_of


def _binary(operator: str, left: Any, right: Any) -> Expression:
    return Expression(ast.Binary(operator, node_of(left), node_of(right), here()))


def _keyword(unit: TimeIntervalUnit) -> ast.Keyword:
    if not isinstance(unit, TimeIntervalUnit):
        raise InputError(f"{here()}: a unit is needed, such as TimeIntervalUnit.MINUTE, not {unit!r}")
    return ast.Keyword(unit.value, here())


def _of_window(what: str, window: Expression) -> Expression:
    if not isinstance(window.node, ast.Name):
        raise SqlError(f"{what} is asked of a window: col('w').{what}", here())
    return Expression(ast.Call(f".{what}", (window.node,), here()))


def whole_number(value: Expression) -> int | None:
    """The whole number that a literal is, None for anything else."""
    node, sign = value.node, 1
    if isinstance(node, ast.Unary) and node.operator == "-":
        node, sign = node.operand, -1
    is_whole = isinstance(node, ast.Literal) and node.kind == "number" and node.text.isdigit()
    return sign * int(node.text) if is_whole and isinstance(node, ast.Literal) else None


def _interval(value: Expression, milliseconds: int) -> Expression:
    count = whole_number(value)
    if count is None:
        raise SqlError(f"a length of time is a literal, as in lit(10).minutes; here is {value!r}", here())
    return Expression(_duration(count * milliseconds))


def _duration(milliseconds: int) -> ast.Interval:
    """The interval in the largest unit that it is a whole number of."""
    sign, size = ("-", -milliseconds) if milliseconds < 0 else ("", milliseconds)
    for unit, length in (("DAY", 86_400_000), ("HOUR", 3_600_000), ("MINUTE", 60_000), ("SECOND", 1000)):
        if size % length == 0 and size:
            return ast.Interval(f"{sign}{size // length}", unit, None, _MOST_DIGITS, here())
    return ast.Interval(f"{sign}{size // 1000}.{size % 1000:03d}", "SECOND", None, _MOST_DIGITS, here())


def _months(value: Expression, months: int) -> Expression:
    count = whole_number(value)
    if count is None:
        raise SqlError(f"a length of time is a literal, as in lit(2).months; here is {value!r}", here())
    return Expression(ast.Interval(str(count * months), "MONTH", None, None, here()))
