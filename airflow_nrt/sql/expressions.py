"""Expressions checked against a scope, and turned into Spark SQL with Flink's meaning.

Operators and functions pass by list only: what is not known here is an error, never Spark's meaning under Flink's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from airflow_nrt.report.instants import parse_instant
from airflow_nrt.report.options import nearest
from airflow_nrt.report.spelling import string_literal
from airflow_nrt.report.types import BOOLEAN, INTEGER_DIGITS, INTEGER_LIMITS, NULL, STRING, DataType, decimal
from airflow_nrt.sql import ast
from airflow_nrt.sql.aggregates import AGGREGATES
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError, SqlErrors
from airflow_nrt.sql.functions import CHANGING, ELSEWHERE, FUNCTIONS, KNOWN_LATER, MISSING, OF_PROGRAMS
from airflow_nrt.sql.functions.arithmetic import divide_doubles
from airflow_nrt.sql.functions.clock import CLOCK_FUNCTIONS, OF_SOURCES
from airflow_nrt.sql.functions.signature import Function
from airflow_nrt.sql.intervals import interval_sql
from airflow_nrt.sql.known_functions import known_aggregate, known_functions
from airflow_nrt.sql.local_time import as_instant, as_local
from airflow_nrt.sql.python_functions import call_function
from airflow_nrt.sql.scope import Scope
from airflow_nrt.sql.typed import Typed, as_decimal, common_type, product_type, quotient_type, remainder_type, sum_type
from airflow_nrt.sql.unparse import text_of

_TIME_LITERALS = {
    "DATE": (r"\d{4}-\d\d-\d\d", "yyyy-MM-dd"),
    "TIMESTAMP": (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d{1,9})?)?", "yyyy-MM-dd HH:mm:ss"),
}
"""How the texts of literals look, for programs and for people."""

_UNITS_OF_DIGITS = {0: "SECOND", 3: "MILLISECOND"}

_BUILT_IN = {**FUNCTIONS, **CLOCK_FUNCTIONS, **OF_PROGRAMS}

Override = Callable[[ast.Expression], "Typed | None"]


class Compiler:
    """Compiles expressions of one scope.

    `override` is asked first at every node: above an aggregation it answers for group keys and aggregates.
    """

    def __init__(self, scope: Scope, override: Override | None = None) -> None:
        self.scope = scope
        self.override = override

    def compile(self, node: ast.Expression) -> Typed:
        """Raises SqlError with the place of what is wrong."""
        if self.override is not None and (typed := self.override(node)) is not None:
            return typed
        match node:
            case ast.Name():
                return self.scope.resolve(node)
            case ast.Literal():
                return _literal(node)
            case ast.Interval():
                return Typed(interval_sql(node), DataType("INTERVAL", nullable=False), constant=node.text)
            case ast.Unary():
                return self._unary(node)
            case ast.Binary():
                return self._binary(node)
            case ast.Between():
                return self._between(node)
            case ast.In():
                return self._in(node)
            case ast.Is():
                return self._is(node)
            case ast.Like():
                return self._like(node)
            case ast.Case():
                return self._case(node)
            case ast.Cast():
                return self._cast(node)
            case ast.Call():
                return self._call(node)
            case ast.Index():
                return self._call(ast.Call("[ ]", (node.operand, node.index), node.at))
            case ast.Exists() | ast.Scalar():
                raise NotThereYet("a query inside an expression", node.at)
            case ast.Star():
                raise SqlError("'*' can only stand alone in SELECT or in COUNT(*)", node.at)
            case _:
                raise SqlError("this can't stand in an expression", node.at)

    def condition(self, node: ast.Expression, clause: str) -> Typed:
        typed = self.compile(node)
        if typed.type.name not in ("BOOLEAN", "NULL"):
            raise SqlError(f"{clause} wants a condition, {text_of(node)} is {typed.type.flink}", node.at)
        return typed

    # ------------------------------------------------------------------ operators

    def _unary(self, node: ast.Unary) -> Typed:
        if node.operator == "NOT":
            operand = self.condition(node.operand, "NOT")
            return _built(f"(NOT {operand.sql})", operand.type, operand)
        operand = self.compile(node.operand)
        if operand.type.name == "INTERVAL" or operand.type.is_numeric:
            constant = _negated(operand.constant) if operand.constant is not None else None
            return Typed(f"(- {operand.sql})", operand.type, constant, operand.columns)
        raise SqlError(f"'-' wants a number, {text_of(node.operand)} is {operand.type.flink}", node.at)

    def _binary(self, node: ast.Binary) -> Typed:
        if node.operator in ("AND", "OR"):
            left = self.condition(node.left, node.operator)
            right = self.condition(node.right, node.operator)
            nullable = left.type.nullable or right.type.nullable
            return _built(f"({left.sql} {node.operator} {right.sql})", BOOLEAN.with_nullable(nullable), left, right)
        left, right = self.compile(node.left), self.compile(node.right)
        if node.operator == "||":
            return self._concatenate(node, left, right)
        if node.operator in ("+", "-", "*", "/", "%"):
            return self._arithmetic(node, left, right)
        left, right = self._comparable([left, right], node.at, node.operator)
        if node.operator == "IS NOT DISTINCT FROM":
            return _built(f"({left.sql} <=> {right.sql})", BOOLEAN.with_nullable(False), left, right)
        if node.operator == "IS DISTINCT FROM":
            return _built(f"(NOT ({left.sql} <=> {right.sql}))", BOOLEAN.with_nullable(False), left, right)
        nullable = left.type.nullable or right.type.nullable
        return _built(f"({left.sql} {node.operator} {right.sql})", BOOLEAN.with_nullable(nullable), left, right)

    def _concatenate(self, node: ast.Binary, left: Typed, right: Typed) -> Typed:
        for side, typed in ((node.left, left), (node.right, right)):
            if not typed.type.is_string and typed.type.name != "NULL":
                raise SqlError(f"'||' joins strings, {text_of(side)} is {typed.type.flink}: CAST it to STRING", side.at)
        nullable = left.type.nullable or right.type.nullable
        return _built(f"concat({left.sql}, {right.sql})", STRING.with_nullable(nullable), left, right)

    def _arithmetic(self, node: ast.Binary, left: Typed, right: Typed) -> Typed:
        nullable = left.type.nullable or right.type.nullable
        if "INTERVAL" in (left.type.name, right.type.name):
            return self._time_arithmetic(node, left, right)
        for side, typed in ((node.left, left), (node.right, right)):
            if not typed.type.is_numeric or (node.operator == "%" and typed.type.is_approximate):
                wanted = "exact numbers" if node.operator == "%" else "numbers"
                raise SqlError(f"{node.operator!r} wants {wanted}, {text_of(side)} is {typed.type.flink}", side.at)
        rule = {"+": sum_type, "-": sum_type, "*": product_type, "/": quotient_type, "%": remainder_type}[node.operator]
        result = rule(left.type, right.type).with_nullable(nullable)
        if result.name == "DECIMAL":
            # Spark would take other digits for a literal and for BIGINT, and so another scale for the quotient.
            left, right = (replace(side, sql=cast_to(side, as_decimal(side.type))) for side in (left, right))
        sql = f"({left.sql} {node.operator} {right.sql})"
        if result.is_integer and node.operator == "/":
            sql = f"({left.sql} div {right.sql})"
        elif result.is_approximate and node.operator == "/":
            sql = divide_doubles(left.sql, right.sql)
        return _built(f"CAST({sql} AS {result.spark})", result, left, right)

    def _time_arithmetic(self, node: ast.Binary, left: Typed, right: Typed) -> Typed:
        if left.type.name == "INTERVAL" and node.operator == "+":
            left, right = right, left
        if node.operator in ("+", "-") and left.type.name == "DATE" and right.type.name == "INTERVAL":
            # Of hours and minutes only whole days count.
            in_months = right.sql.rstrip(")").endswith(("MONTH", "YEAR"))
            interval = right.sql if in_months else f"CAST({right.sql} AS INTERVAL DAY)"
            moved = f"({left.sql} {node.operator} {interval})"
            return _built(moved, left.type, left, right)
        if node.operator not in ("+", "-") or not left.type.is_timestamp or right.type.name != "INTERVAL":
            raise SqlError(
                f"{text_of(node)}: an interval is added to or subtracted from a TIMESTAMP, not {left.type.flink}",
                node.at,
            )
        return _built(f"({left.sql} {node.operator} {right.sql})", left.type, left, right)

    def _comparable(self, values: list[Typed], at: Place, operator: str) -> list[Typed]:
        """The values as one type. A string literal beside a date or time is read as one."""
        others = [typed for typed in values if typed.type.is_timestamp or typed.type.name == "DATE"]
        if others:
            target = others[0].type
            values = [_time_literal(v, target) if v.type.is_string and v.constant is not None else v for v in values]
        common = common_type([typed.type for typed in values])
        if common is None:
            names = " and ".join(dict.fromkeys(typed.type.flink for typed in values))
            raise SqlError(f"{operator!r} can't compare {names}: CAST one of them", at)
        return values

    def _between(self, node: ast.Between) -> Typed:
        operand, low, high = (self.compile(part) for part in (node.operand, node.low, node.high))
        operand, low, high = self._comparable([operand, low, high], node.at, "BETWEEN")
        word = "NOT BETWEEN" if node.negated else "BETWEEN"
        return _built(f"({operand.sql} {word} {low.sql} AND {high.sql})", BOOLEAN, operand, low, high)

    def _in(self, node: ast.In) -> Typed:
        if node.query is not None:
            raise NotThereYet("IN (SELECT …)", node.at)
        operand, *values = self._comparable(
            [self.compile(node.operand), *(self.compile(value) for value in node.values)], node.at, "IN"
        )
        listed = ", ".join(value.sql for value in values)
        return _built(f"({operand.sql} {'NOT ' if node.negated else ''}IN ({listed}))", BOOLEAN, operand, *values)

    def _is(self, node: ast.Is) -> Typed:
        operand = self.compile(node.operand) if node.what == "NULL" else self.condition(node.operand, "IS")
        what = "NULL" if node.what == "UNKNOWN" else node.what
        sql = f"({operand.sql} IS {'NOT ' if node.negated else ''}{what})"
        return _built(sql, BOOLEAN.with_nullable(False), operand)

    def _like(self, node: ast.Like) -> Typed:
        operand, pattern = self.compile(node.operand), self.compile(node.pattern)
        if not operand.type.is_string or not pattern.type.is_string:
            raise SqlError("LIKE wants strings on both sides", node.at)
        word = "NOT LIKE" if node.negated else "LIKE"
        if node.escape is None:
            # A backslash means itself in Flink; in Spark it escapes.
            plain = pattern.constant is not None and "\\" not in pattern.constant
            shape = pattern.sql if plain else f"replace({pattern.sql}, '\\\\', '\\\\\\\\')"
            return _built(f"({operand.sql} {word} {shape})", BOOLEAN, operand, pattern)
        character = self.compile(node.escape).constant
        if character is None or len(character) != 1:
            raise SqlError("ESCAPE wants one character in quotes", node.escape.at)
        sql = f"({operand.sql} {word} {pattern.sql} ESCAPE {string_literal(character)})"
        return _built(sql, BOOLEAN, operand, pattern)

    def _case(self, node: ast.Case) -> Typed:
        conditions, results = [], []
        for when, then in node.branches:
            if node.operand is not None:
                when = ast.Binary("=", node.operand, when, when.at)
            conditions.append(self.condition(when, "WHEN"))
            results.append(self.compile(then))
        default = self.compile(node.default) if node.default is not None else Typed("NULL", NULL)
        common = common_type([typed.type for typed in (*results, default)])
        if common is None:
            names = ", ".join(dict.fromkeys(typed.type.flink for typed in (*results, default)))
            raise SqlError(f"the branches of CASE have different types: {names}", node.at)
        branches = " ".join(f"WHEN {c.sql} THEN {cast_to(r, common)}" for c, r in zip(conditions, results))
        sql = f"CASE {branches} ELSE {cast_to(default, common)} END"
        return _built(sql, common, *conditions, *results, default)

    def _cast(self, node: ast.Cast) -> Typed:
        operand = self.compile(node.operand)
        target = node.type.with_nullable(operand.type.nullable or not node.fails)
        if operand.type.name == "NULL":
            return Typed(f"CAST(NULL AS {target.spark})", target.with_nullable(True))
        if target.is_string or target.name in ("TIMESTAMP", "DATE"):
            operand = as_local(operand)
        elif target.name == "TIMESTAMP_LTZ" and (operand.type.is_string or operand.type.name in ("TIMESTAMP", "DATE")):
            shown = replace(node, type=DataType("TIMESTAMP", precision=target.precision))
            return as_instant(self._cast(shown))
        if target.is_string and operand.type.name == "TIMESTAMP":
            return _built(_to_length(timestamp_text(operand), target), target, operand)
        if target.is_string and operand.type.name == "BOOLEAN":
            return _built(_to_length(f"upper(CAST({operand.sql} AS STRING))", target), target, operand)
        if not _castable(operand.type, target):
            raise NotThereYet(f"CAST of {operand.type.flink} AS {target.flink}", node.at)
        function = "CAST" if node.fails else "TRY_CAST"
        return _built(_to_length(f"{function}({operand.sql} AS {target.spark})", target), target, operand)

    def _call(self, node: ast.Call) -> Typed:
        if node.over is not None:
            raise NotThereYet(f"{node.name} … OVER", node.at)
        if node.filter is not None or node.distinct or node.within:
            raise SqlError(
                f"{node.name} is no aggregate, so it takes neither DISTINCT nor FILTER nor WITHIN GROUP", node.at
            )
        function = _BUILT_IN.get(node.name) or _python(node)
        if node.name in CLOCK_FUNCTIONS:
            self._check_clock(node)
        if function is None:
            if node.name in CHANGING:
                raise SqlError(
                    f"{node.name} gives another value in each run, so that no backfill could reproduce what the stream "
                    "published: use a column of the source",
                    node.at,
                )
            if node.name in OF_SOURCES:
                raise SqlError(f"{node.name} {OF_SOURCES[node.name]}", node.at)
            if node.name in ELSEWHERE:
                raise SqlError(f"{node.name} {ELSEWHERE[node.name]}", node.at)
            if node.name in KNOWN_LATER or node.name in MISSING:
                raise NotThereYet(f"function {node.name}", node.at)
            if node.name in AGGREGATES or known_aggregate(node.name) is not None:
                raise SqlError(f"{node.name} is an aggregate: it stands in SELECT or HAVING of a GROUP BY", node.at)
            hint = nearest(node.name, [*AGGREGATES, *FUNCTIONS, *CLOCK_FUNCTIONS, *known_functions()])
            raise SqlError(f"there is no function {node.name}{hint}", node.at)
        arguments = [
            Typed(a.text, DataType("KEYWORD"), a.text) if isinstance(a, ast.Keyword) else self.compile(a)
            for a in node.arguments
        ]
        typed = function(arguments, node.at, node.name)
        columns = frozenset().union(*(argument.columns for argument in arguments))
        return replace(typed, columns=columns)

    def _check_clock(self, node: ast.Call) -> None:
        """Raises SqlError if the rows here come from many batches, or CURRENT_WATERMARK is asked for another column."""
        if not self.scope.has_batch:
            raise NotThereYet(
                f"{node.name} above a window or a join", node.at, "put it below, or into a computed column of the table"
            )
        if node.name == "CURRENT_WATERMARK":
            name = node.arguments[0] if node.arguments else None
            if not isinstance(name, ast.Name) or not self.scope.time_column(name).rowtime:
                raise SqlError("CURRENT_WATERMARK() must be called with a single rowtime attribute argument", node.at)


def _python(node: ast.Call) -> Function | None:
    """A scalar function of the report. What is wrong with its declaration was told there."""
    if node.name in known_functions() and known_functions()[node.name] is None:
        raise SqlErrors(())
    found = known_functions().get(node.name)
    if found is None or found.is_aggregate:
        return None
    if found.is_table:
        raise SqlError(f"{node.name} is a table function: write CROSS JOIN LATERAL TABLE({node.name}(…))", node.at)
    return partial(call_function, found)


def _negated(number: str) -> str:
    return number.removeprefix("-") if number.startswith("-") else f"-{number}"


def _to_length(sql: str, kind: DataType) -> str:
    """A string or timestamp, which Spark keeps in full, as long or as exact as its type says."""
    if kind.name == "CHAR":
        return f"rpad({sql}, {kind.precision}, ' ')"
    if kind.name == "VARCHAR":
        return f"left({sql}, {kind.precision})"
    if kind.name == "TIMESTAMP" and kind.precision in _UNITS_OF_DIGITS:
        return f"CAST(date_trunc('{_UNITS_OF_DIGITS[kind.precision]}', {sql}) AS TIMESTAMP_NTZ)"
    return sql


def _time_literal(text: Typed, target: DataType) -> Typed:
    """A string literal read as a date or time; as an instant on the session's clock."""
    kind = DataType("TIMESTAMP", precision=target.precision) if target.name == "TIMESTAMP_LTZ" else target
    shown = Typed(f"CAST({text.sql} AS {kind.spark})", kind, text.constant)
    return as_instant(shown) if kind is not target else shown


def cast_to(typed: Typed, target: DataType) -> str:
    """The value as the target type, without a cast where it is that already."""
    if typed.type.with_nullable(True) == target.with_nullable(True) or typed.type.spark == target.spark:
        return typed.sql
    return f"CAST({typed.sql} AS {target.spark})"


def timestamp_text(typed: Typed) -> str:
    """A TIMESTAMP(p) as Flink prints it: always p fraction digits."""
    precision = typed.type.precision or 0
    fraction = "." + "S" * precision if precision else ""
    return f"date_format({typed.sql}, 'yyyy-MM-dd HH:mm:ss{fraction}')"


def _built(sql: str, kind: DataType, *parts: Typed) -> Typed:
    return Typed(sql, kind, columns=frozenset().union(*(part.columns for part in parts)))


def _castable(source: DataType, target: DataType) -> bool:
    if source.is_numeric and (target.is_numeric or target.is_string):
        return not (source.is_approximate and target.is_string)
    if source.is_string:
        return target.is_numeric or target.is_string or target.name in ("DATE", "TIMESTAMP")
    if source.name == "DATE" or source.name == "TIMESTAMP":
        return target.name in ("DATE", "TIMESTAMP") or (target.is_string and source.name == "DATE")
    return source.name == target.name


def _literal(node: ast.Literal) -> Typed:
    text = node.text
    if node.kind == "null":
        return Typed("NULL", NULL)
    if node.kind == "boolean":
        return Typed(text, BOOLEAN.with_nullable(False), text)
    if node.kind == "string":
        return Typed(string_literal(text), DataType("CHAR", precision=max(len(text), 1), nullable=False), text)
    if node.kind == "number":
        return _number(node)
    if node.kind in _TIME_LITERALS:
        _check_time_literal(node)
    if node.kind == "DATE":
        return Typed(f"DATE {string_literal(text)}", DataType("DATE", nullable=False), text)
    if node.kind == "TIMESTAMP":
        digits = len(text.partition(".")[2])
        return Typed(
            f"TIMESTAMP_NTZ {string_literal(text)}", DataType("TIMESTAMP", precision=digits, nullable=False), text
        )
    raise NotThereYet(f"{node.kind} literals", node.at)


def _check_time_literal(node: ast.Literal) -> None:
    pattern, shape = _TIME_LITERALS[node.kind]
    try:
        if re.fullmatch(pattern, node.text) is None:
            raise ValueError
        parse_instant(node.text)
    except ValueError:
        raise SqlError(f"{node.kind} {node.text!r} does not exist: write {shape}", node.at) from None


def _number(node: ast.Literal) -> Typed:
    text = node.text
    if "e" in text.lower():
        return Typed(f"CAST({text} AS DOUBLE)", DataType("DOUBLE", nullable=False), text)
    if "." in text:
        whole, _, fraction = text.partition(".")
        scale = len(fraction)
        precision = max(len(whole.lstrip("0")), len(whole[:1])) + scale
        if precision > 38:
            raise SqlError("a number has at most 38 digits", node.at)
        return Typed(f"CAST('{text}' AS DECIMAL({precision},{scale}))", decimal(precision, scale, nullable=False), text)
    if len(text.lstrip("0")) > INTEGER_DIGITS["BIGINT"] or int(text) > INTEGER_LIMITS["BIGINT"]:
        raise SqlError(f"{text} does not fit BIGINT", node.at)
    if int(text) > INTEGER_LIMITS["INT"]:
        return Typed(f"{text}L", DataType("BIGINT", nullable=False), text)
    return Typed(str(int(text)), DataType("INT", nullable=False), text)
