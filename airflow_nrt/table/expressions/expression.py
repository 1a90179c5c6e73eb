"""Expressions of a program, as PyFlink writes them: each holds the expression of SQL that it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NoReturn

from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import checked, checked_name, checked_type, no_such_name
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.checks.depth import check_depth
from airflow_nrt.table.expressions.literals import length_of, months_of, node_of
from airflow_nrt.table.expressions.operators import Operators
from airflow_nrt.table.expressions.vocabulary import AGGREGATES, METHODS, PROPERTIES
from airflow_nrt.table.meaning import MeansQuery

ROWS = "row_interval"
"""The function whose call means a number of rows in windows."""
WINDOW_PROPERTIES = ("start", "end", "rowtime", "proctime")


class TimeIntervalUnit(Enum):
    """Units to which times are truncated, or which are extracted from them."""

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


class Expression(Operators):
    """`node` is its meaning in SQL, `names` are the names of `.alias(…)`. Plain functions are in `vocabulary.py`."""

    def __repr__(self) -> str:
        from airflow_nrt.sql.parse.unparse import text_of

        try:
            text = text_of(self.node)
        except RecursionError:
            text = "an expression that nests deeply"
        return text + (f" AS {', '.join(self.names)}" if self.names else "")

    def __getattr__(self, name: str) -> Any:
        if name in PROPERTIES:
            return _call(PROPERTIES[name], self)
        if name in AGGREGATES:
            return _call(AGGREGATES[name], self)
        if name in METHODS:
            return self._method(name)
        raise no_such_name("an expression has no", name, [*PROPERTIES, *METHODS, *AGGREGATES, *vars(Expression)])

    def _method(self, name: str) -> Callable[..., Expression]:
        def method(*arguments: Any) -> Expression:
            return _call(METHODS[name], self, *arguments)

        method.__name__ = name
        return method

    def log(self, base: Any = None) -> Expression:
        """The natural logarithm, or the logarithm to a base."""
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
        if isinstance(first, MeansQuery):
            if others:
                raise SqlError("in_ takes one table, or values", here())
            return Expression(ast.In(self.node, (), first.query, False, here()))
        return Expression(ast.In(self.node, tuple(map(node_of, (first, *others))), None, False, here()))

    def like(self, pattern: Any) -> Expression:
        return Expression(ast.Like(self.node, node_of(pattern), None, False, here()))

    def similar(self, pattern: Any) -> Expression:
        """Whether the whole text matches a regular expression of SQL."""
        return Expression(ast.Like(self.node, node_of(pattern), None, False, here(), similar=True))

    def then(self, if_true: Any, if_false: Any) -> Expression:
        """The first value where this is true, else the second."""
        branch = (self.node, node_of(if_true))
        return Expression(ast.Case(None, (branch,), node_of(if_false), here()))

    # ------------------------------------------------------------------ types, names, parts

    def alias(self, name: str, *others: str) -> Expression:
        names = (name, *others)
        return Expression(self.node, tuple(checked_name("alias takes names, as in .alias('a')", one) for one in names))

    def cast(self, data_type: DataType) -> Expression:
        """Casts to another type; a value that does not fit stops the report."""
        return Expression(ast.Cast(self.node, checked_type(data_type), True, here()))

    def try_cast(self, data_type: DataType) -> Expression:
        """Casts to another type; NULL if the value does not fit."""
        return Expression(ast.Cast(self.node, checked_type(data_type), False, here()))

    @property
    def to_time(self) -> Expression:
        """The TIME in a string."""
        return self.cast(DataType("TIME", precision=0))

    def get(self, field: str) -> Expression:
        """A field of a ROW column."""
        if not isinstance(self.node, ast.Name):
            raise SqlError(f"a field is taken of a column: ({self!r}) is none", here())
        name = checked_name("get takes the name of a field, as in .get('city')", field)
        return Expression(ast.Name((*self.node.parts, name), here()))

    def at(self, index: Any) -> Expression:
        """An element of an ARRAY, from 1, or the value of a MAP's key."""
        return Expression(ast.Index(self.node, node_of(index), here()))

    # ------------------------------------------------------------------ time and text

    def extract(self, unit: TimeIntervalUnit) -> Expression:
        return Expression(ast.Call("EXTRACT", (keyword(unit), self.node), here()))

    def floor(self, unit: TimeIntervalUnit | None = None) -> Expression:
        return self._rounded("FLOOR", unit)

    def ceil(self, unit: TimeIntervalUnit | None = None) -> Expression:
        return self._rounded("CEIL", unit)

    def _rounded(self, function: str, unit: TimeIntervalUnit | None) -> Expression:
        return Expression(ast.Call(function, (self.node, *([keyword(unit)] if unit is not None else [])), here()))

    def trim(self, character: Any = " ") -> Expression:
        return self._trimmed("BOTH", character)

    def trim_leading(self, character: Any = " ") -> Expression:
        return self._trimmed("LEADING", character)

    def trim_trailing(self, character: Any = " ") -> Expression:
        return self._trimmed("TRAILING", character)

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
            raise SqlError(f"distinct follows an aggregate, as in col('k').count.distinct; here is {self!r}", here())
        return Expression(replace(self.node, distinct=True))

    def over(self, window: Expression) -> Expression:
        """The aggregate of a row window: `col("v").sum.over(col("w"))`."""
        if not isinstance(self.node, ast.Call):
            raise SqlError(f"over follows an aggregate, as in col('v').sum.over(col('w')); here is {self!r}", here())
        alias = checked("over takes the alias of a row window, as in .over(col('w'))", window, Expression).node
        if not isinstance(alias, ast.Name):
            raise SqlError("over takes the alias of a row window: .over(col('w'))", here())
        return Expression(replace(self.node, over=ast.Over((), (), None, alias.parts[0], here())))

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
        return Expression(length_of(self.node, 1))

    @property
    def second(self) -> Expression:
        return Expression(length_of(self.node, 1000))

    @property
    def minute(self) -> Expression:
        return Expression(length_of(self.node, 60_000))

    @property
    def hour(self) -> Expression:
        return Expression(length_of(self.node, 3_600_000))

    @property
    def day(self) -> Expression:
        return Expression(length_of(self.node, 86_400_000))

    @property
    def week(self) -> Expression:
        return Expression(length_of(self.node, 7 * 86_400_000))

    @property
    def month(self) -> Expression:
        return Expression(months_of(self.node, 1))

    @property
    def quarter(self) -> Expression:
        return Expression(months_of(self.node, 3))

    @property
    def year(self) -> Expression:
        return Expression(months_of(self.node, 12))

    millis, seconds, minutes, hours, days, weeks = milli, second, minute, hour, day, week
    months, quarters, years = month, quarter, year


class FrameEnd(Expression):
    """`UNBOUNDED_ROW` and similar: no value, but a bound of the rows of a row window."""

    def __init__(self, word: str, unit: str) -> None:
        self.word = word
        self.unit = unit
        self.names = ()

    def __repr__(self) -> str:
        return f"{self.word}_{self.unit}"

    @property
    def node(self) -> NoReturn:  # type: ignore[override]
        raise SqlError(f"{self!r} is no value, it is a bound of a row window, as in .preceding({self!r})", here())


def fields_of(values: Sequence[Any]) -> tuple[Expression, ...]:
    """The columns of a method. Raises SqlError for expressions that nest too deeply, and for a text, because that is
    ambiguous."""
    for value in values:
        if isinstance(value, str):
            raise SqlError(f"write col({value!r}) for the column, lit({value!r}) for the text", here())
    fields = tuple(value if isinstance(value, Expression) else Expression(node_of(value)) for value in values)
    for field in fields:
        check_depth(field.node)
    return fields


def call_of(function: str, *arguments: Any) -> Expression:
    """A call of a function of SQL."""
    return Expression(ast.Call(function, tuple(node_of(argument) for argument in arguments), here()))


_call = call_of


def keyword(unit: TimeIntervalUnit) -> ast.Keyword:
    wanted = "a unit is needed, such as TimeIntervalUnit.MINUTE"
    return ast.Keyword(checked(wanted, unit, TimeIntervalUnit).value, here())


def _of_window(what: str, window: Expression) -> Expression:
    if not isinstance(window.node, ast.Name):
        raise SqlError(f"{what} is asked of a window: col('w').{what}", here())
    return Expression(ast.Call(f".{what}", (window.node,), here()))
