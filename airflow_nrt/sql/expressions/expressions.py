"""Expressions, checked against a scope and compiled to Spark SQL with Flink's meaning.

Only listed operators and functions are compiled. Others are an error, never Spark's meaning under Flink's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.times_of_day import DIGITS
from airflow_nrt.basics.types import BOOLEAN, NULL, STRING, DataType
from airflow_nrt.model.value_places import NO_PLACE
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.expressions.casts import cast, cast_to
from airflow_nrt.sql.expressions.decimal_arithmetic import CountedDecimals, computed, may_be_too_large
from airflow_nrt.sql.expressions.failing import (
    Computed,
    counted_for,
    errors_are_null,
    tried,
    tried_call,
    tried_cast,
    tried_negative,
)
from airflow_nrt.sql.expressions.functions import FUNCTIONS, OF_PROGRAMS
from airflow_nrt.sql.expressions.functions.arithmetic import divide_doubles
from airflow_nrt.sql.expressions.functions.clock import CLOCK_FUNCTIONS, of_clock
from airflow_nrt.sql.expressions.functions.signature import Function
from airflow_nrt.sql.expressions.functions.uuids import identified
from airflow_nrt.sql.expressions.intervals import in_months, interval_sql
from airflow_nrt.sql.expressions.known_functions import known_functions
from airflow_nrt.sql.expressions.literals import literal
from airflow_nrt.sql.expressions.local_time import alike_times, as_instant
from airflow_nrt.sql.expressions.no_function import no_function
from airflow_nrt.sql.expressions.noted import note
from airflow_nrt.sql.expressions.patterns import matched
from airflow_nrt.sql.expressions.python_functions import call_function
from airflow_nrt.sql.expressions.row_values import compared_rows, holds_rows, in_rows
from airflow_nrt.sql.expressions.scope import Scope, field_type
from airflow_nrt.sql.expressions.time_arithmetic import difference, time_arithmetic
from airflow_nrt.sql.expressions.typed import (
    Typed,
    as_decimal,
    common_type,
    product_type,
    quotient_type,
    remainder_type,
    sum_type,
)
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.limits import check_sql
from airflow_nrt.sql.parse.unparse import text_of

_BUILT_IN = {**FUNCTIONS, **CLOCK_FUNCTIONS, **OF_PROGRAMS}

_IN_WHERE = (
    "make it one of the conditions that AND joins in WHERE; if the query groups windows, in a subquery in its FROM"
)

Override = Callable[[ast.Expression], "Typed | None"]


class Compiler:
    """Compiles expressions of one scope.

    `override` is tried first at every node. Above an aggregation it compiles group keys and aggregates. `place` gives
    SQL of the place of a row, for values that can't be computed. Numbers that do not fit a DECIMAL are NULL uncounted
    if it is None: such an expression is computed once more elsewhere. `identity` gives SQL that differs for each row
    and is the same whenever the row is computed; None where nothing is so.
    """

    def __init__(
        self,
        scope: Scope,
        override: Override | None = None,
        place: Callable[[], str] | None = lambda: NO_PLACE,
        identity: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.scope = scope
        self.override = override
        self._decimals = CountedDecimals() if place is not None else None
        self._place = place or (lambda: NO_PLACE)
        self._identity = identity
        self._known: dict[int, tuple[ast.Expression, Typed]] = {}

    def compile(self, node: ast.Expression) -> Typed:
        """The expression as Spark SQL. Raises SqlError with the place of an error."""
        if id(node) in self._known:
            # One node may be in several places of the tree, such as the operand of CASE.
            return self._known[id(node)][1]
        if self.override is not None and (typed := self.override(node)) is not None:
            return typed
        match node:
            case ast.Name():
                return self.scope.resolve(node)
            case ast.Literal():
                return literal(node)
            case ast.Keyword():
                return Typed(node.text, DataType("KEYWORD"), node.text)
            case ast.Interval():
                kind = DataType("INTERVAL", nullable=False)
                return Typed(interval_sql(node), kind, constant=node.text, in_months=in_months(node))
            case ast.Difference():
                typed = difference(node, self.compile(node.end), self.compile(node.start))
            case ast.Unary():
                typed = self._unary(node)
            case ast.Binary():
                typed = self._binary(node)
            case ast.Between():
                typed = self._between(node)
            case ast.In():
                typed = self._in(node)
            case ast.Is():
                typed = self._is(node)
            case ast.Like():
                typed = self._like(node)
            case ast.Case():
                typed = self._case(node)
            case ast.Cast():
                typed = self._cast(node)
            case ast.Call():
                typed = self._call(node)
            case ast.Uuid():
                typed = self._uuid(node)
            case ast.Index():
                typed = self._call(ast.Call("[ ]", (node.operand, node.index), node.at))
            case ast.Dot():
                typed = self._dot(node)
            case ast.Exists() | ast.Scalar() | ast.Quantified():
                raise NotThereYet("a query inside an expression", node.at, _IN_WHERE)
            case ast.Star():
                raise SqlError("'*' can only stand alone in SELECT or in COUNT(*)", node.at)
            case _:
                raise SqlError("this can't be part of an expression", node.at)
        check_sql(typed.sql, node.at)
        note(node, typed.sql)
        self._known[id(node)] = node, typed
        return typed

    def compiled(self, nodes: Sequence[ast.Expression]) -> list[Typed]:
        """All of these expressions. Raises SqlErrors with the errors of all of them."""
        results: list[Typed] = []
        problems = Problems()
        for node in nodes:
            typed = problems.attempt(partial(self.compile, node))
            results += [typed] if typed is not None else []
        if len(results) < len(nodes):
            problems.stop()
        return results

    def condition(self, node: ast.Expression, clause: str) -> Typed:
        typed = self.compile(node)
        _check_condition(node, typed, clause)
        return typed

    # ------------------------------------------------------------------ operators

    def _unary(self, node: ast.Unary) -> Typed:
        """Gives "(NOT `paid`)", "(- `n`)"."""
        if node.operator == "NOT":
            operand = self.condition(node.operand, "NOT")
            return _built(f"(NOT {operand.sql})", operand.type, operand)
        operand = self.compile(node.operand)
        if operand.type.name == "INTERVAL" or operand.type.is_numeric:
            constant = _negated(operand.constant) if operand.constant is not None else None
            sql = tried_negative(self._computed(node), operand) or f"(- {operand.sql})"
            negative = Typed(sql, operand.type, constant, operand.columns)
            return replace(negative, in_months=operand.in_months)
        raise SqlError(f"'-' wants a number, {text_of(node.operand)} is {operand.type.flink}", node.at)

    def _binary(self, node: ast.Binary) -> Typed:
        """Gives "(`n` > 1)", "(`shop` <=> `other`)"."""
        try:
            left = self.compile(node.left)
        except (SqlError, SqlErrors) as wrong:
            raise self._beside(wrong, node.right) from None
        # Without `compiled`, because a sum of hundreds of terms goes down the stack here.
        right = self.compile(node.right)
        if node.operator in ("AND", "OR"):
            for side, typed in ((node.left, left), (node.right, right)):
                _check_condition(side, typed, node.operator)
            nullable = left.type.nullable or right.type.nullable
            return _built(f"({left.sql} {node.operator} {right.sql})", BOOLEAN.with_nullable(nullable), left, right)
        if node.operator == "||":
            return self._concatenate(node, left, right)
        if node.operator in ("+", "-", "*", "/", "%"):
            return self._arithmetic(node, left, right)
        if holds_rows([left, right]):
            return compared_rows(left, right, node.operator, node.at)
        left, right = self._comparable([left, right], node.at, node.operator)
        if node.operator == "IS NOT DISTINCT FROM":
            return _built(f"({left.sql} <=> {right.sql})", BOOLEAN.with_nullable(False), left, right)
        if node.operator == "IS DISTINCT FROM":
            return _built(f"(NOT ({left.sql} <=> {right.sql}))", BOOLEAN.with_nullable(False), left, right)
        nullable = left.type.nullable or right.type.nullable
        return _built(f"({left.sql} {node.operator} {right.sql})", BOOLEAN.with_nullable(nullable), left, right)

    def _cast(self, node: ast.Cast) -> Typed:
        """Gives "CAST(`n` AS STRING)"."""
        operand = self.compile(node.operand)
        with self.counting(node):
            return tried_cast(node, operand, self._place()) or cast(operand, node.type, node.fails, node.at)

    def _beside(self, wrong: SqlError | SqlErrors, right: ast.Expression) -> SqlError | SqlErrors:
        """The errors on the left of an operator, with those on its right."""
        problems = Problems(wrong.problems if isinstance(wrong, SqlErrors) else [wrong])
        problems.attempt(partial(self.compile, right))
        return wrong if len(problems.errors) == 1 else SqlErrors(problems.errors)

    def _concatenate(self, node: ast.Binary, left: Typed, right: Typed) -> Typed:
        """Gives "concat(`shop`, 'x')"."""
        for side, typed in ((node.left, left), (node.right, right)):
            if not typed.type.is_string and typed.type.name != "NULL":
                raise SqlError(f"'||' joins strings, {text_of(side)} is {typed.type.flink}: CAST it to STRING", side.at)
        nullable = left.type.nullable or right.type.nullable
        return _built(f"concat({left.sql}, {right.sql})", STRING.with_nullable(nullable), left, right)

    def _arithmetic(self, node: ast.Binary, left: Typed, right: Typed) -> Typed:
        """Gives "CAST((`n` div 2) AS INT)", "CAST((`price` / CAST(2 AS DECIMAL(10,0))) AS DECIMAL(21,13))"."""
        nullable = left.type.nullable or right.type.nullable
        if "INTERVAL" in (left.type.name, right.type.name):
            return time_arithmetic(node, left, right)
        for side, typed in ((node.left, left), (node.right, right)):
            if not typed.type.is_numeric or (node.operator == "%" and typed.type.is_approximate):
                wanted = "exact numbers" if node.operator == "%" else "numbers"
                raise SqlError(f"{node.operator!r} wants {wanted}, {text_of(side)} is {typed.type.flink}", side.at)
        rule = {"+": sum_type, "-": sum_type, "*": product_type, "/": quotient_type, "%": remainder_type}[node.operator]
        result = rule(left.type, right.type).with_nullable(nullable)
        if result.name == "DECIMAL":
            # Spark would use another precision for a literal and for BIGINT, and so another scale for the quotient.
            left, right = (side.computed(cast_to(side, as_decimal(side.type))) for side in (left, right))
        if errors_are_null() and not result.is_approximate:
            return _built(tried(self._computed(node), node.operator, left.sql, right.sql, result), result, left, right)
        if may_be_too_large(result):
            sql = computed(left.sql, node.operator, right.sql, result)
            if self._decimals is not None and node.operator != "%":
                sql = self._decimals.computed(self._computed(node), left.sql, node.operator, right.sql, result)
            return _built(sql, result.with_nullable(True), left, right)
        sql = f"({left.sql} {node.operator} {right.sql})"
        if result.is_integer and node.operator == "/":
            sql = f"({left.sql} div {right.sql})"
        elif result.is_approximate and node.operator == "/":
            sql = divide_doubles(left.sql, right.sql)
        return _built(f"CAST({sql} AS {result.spark})", result, left, right)

    def _comparable(self, values: list[Typed], at: Place, operator: str) -> list[Typed]:
        """The values as one type. A string literal beside a date or time is read as one."""
        others = [typed for typed in values if typed.type.has_fraction_of_second or typed.type.name == "DATE"]
        if others:
            target = others[0].type
            values = [
                _time_literal(v, target, at) if v.type.is_string and v.constant is not None else v for v in values
            ]
            values = alike_times(values)
        if any(typed.type.holds("MAP") for typed in values):
            raise SqlError(f"{operator!r} can't compare a MAP: compare MAP_ENTRIES of it", at)
        common = common_type([typed.type for typed in values])
        if common is None:
            names = " and ".join(dict.fromkeys(typed.type.flink for typed in values))
            raise SqlError(f"{operator!r} can't compare {names}: CAST one of them", at)
        return values

    def _between(self, node: ast.Between) -> Typed:
        """Gives "(`n` BETWEEN 1 AND 2)"."""
        operand, low, high = self.compiled([node.operand, node.low, node.high])
        operand, low, high = self._comparable([operand, low, high], node.at, "BETWEEN")
        word = "NOT BETWEEN" if node.negated else "BETWEEN"
        return _built(f"({operand.sql} {word} {low.sql} AND {high.sql})", BOOLEAN, operand, low, high)

    def _in(self, node: ast.In) -> Typed:
        """Gives "(`n` IN (1, 2))"."""
        if node.query is not None:
            raise NotThereYet("IN (SELECT …)", node.at, _IN_WHERE)
        operand, *values = self.compiled([node.operand, *node.values])
        if holds_rows([operand]):
            return in_rows(operand, values, node.negated, node.at)
        operand, *values = self._comparable([operand, *values], node.at, "IN")
        listed = ", ".join(value.sql for value in values)
        return _built(f"({operand.sql} {'NOT ' if node.negated else ''}IN ({listed}))", BOOLEAN, operand, *values)

    def _is(self, node: ast.Is) -> Typed:
        """Gives "(`shop` IS NOT NULL)"."""
        operand = self.compile(node.operand) if node.what == "NULL" else self.condition(node.operand, "IS")
        what = "NULL" if node.what == "UNKNOWN" else node.what
        sql = f"({operand.sql} IS {'NOT ' if node.negated else ''}{what})"
        return _built(sql, BOOLEAN.with_nullable(False), operand)

    def _like(self, node: ast.Like) -> Typed:
        escape = self.compile(node.escape) if node.escape is not None else None
        return matched(node, self.compile(node.operand), self.compile(node.pattern), escape)

    def _case(self, node: ast.Case) -> Typed:
        """Gives "CASE WHEN (`n` > 1) THEN 1 ELSE 0 END"."""
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
        with self.counting(node):
            branches = " ".join(f"WHEN {c.sql} THEN {cast_to(r, common)}" for c, r in zip(conditions, results))
            sql = f"CASE {branches} ELSE {cast_to(default, common)} END"
        return _built(sql, common, *conditions, *results, default)

    def _dot(self, node: ast.Dot) -> Typed:
        """Gives "(`events`[0]).`log_ts`": a field of what is no column."""
        operand = self.compile(node.operand)
        kind = field_type(operand.type, node.name, node.at)
        return _built(f"({operand.sql}).{quote(node.name)}", kind, operand)

    def _call(self, node: ast.Call) -> Typed:
        if node.over is not None:
            raise NotThereYet(
                f"{node.name} … OVER", node.at, "select it in a subquery in FROM, and use its column here"
            )
        clock = of_clock(node)
        function = clock or _BUILT_IN.get(node.name) or _python(node)
        if clock is not None:
            self._check_clock(node)
        if function is None:
            raise no_function(node, _BUILT_IN)
        if node.filter is not None or node.distinct or node.within:
            raise SqlError(
                f"{node.name} is no aggregate, so it takes neither DISTINCT nor FILTER nor WITHIN GROUP", node.at
            )
        arguments = self.compiled(node.arguments)
        with self.counting(node):
            typed = function(arguments, node.at, node.name)
        typed = replace(typed, sql=tried_call(node, arguments, typed, self._place()) or typed.sql)
        columns = frozenset().union(*(argument.columns for argument in arguments))
        return replace(typed, columns=columns)

    def _uuid(self, node: ast.Uuid) -> Typed:
        if "UUID" in known_functions():
            # Reports of an earlier version may have a function of that name.
            return self._call(ast.Call("UUID", (), node.at))
        return identified(node, self._identity())

    def _computed(self, node: ast.Expression) -> Computed:
        return Computed(text_of(node), self._place())

    def counting(self, node: ast.Expression) -> AbstractContextManager[None]:
        """What is made in it is counted for this expression."""
        return counted_for(partial(self._computed, node) if self._decimals is not None else None)

    def _check_clock(self, node: ast.Call) -> None:
        """Raises SqlError if the rows are of many batches, or CURRENT_WATERMARK has an argument that is no rowtime."""
        if not self.scope.has_batch:
            raise NotThereYet(
                f"{node.name} above a window or a join", node.at, "put it below, or into a computed column of the table"
            )
        if node.name == "CURRENT_WATERMARK":
            name = node.arguments[0] if node.arguments else None
            if not isinstance(name, ast.Name) or not self.scope.time_column(name).rowtime:
                raise SqlError("CURRENT_WATERMARK() must be called with a single rowtime attribute argument", node.at)


def _python(node: ast.Call) -> Function | None:
    """A scalar function of the report. An error of its declaration was reported there."""
    if node.name in known_functions() and known_functions()[node.name] is None:
        raise SqlErrors(())
    function = known_functions().get(node.name)
    if function is None or function.is_aggregate:
        return None
    if function.is_table:
        raise SqlError(f"{node.name} is a table function: write CROSS JOIN LATERAL TABLE({node.name}(…))", node.at)
    return partial(call_function, function)


def _check_condition(node: ast.Expression, typed: Typed, clause: str) -> None:
    if typed.type.name not in ("BOOLEAN", "NULL"):
        raise SqlError(f"{clause} wants a condition, {text_of(node)} is {typed.type.flink}", node.at)


def _negated(number: str) -> str:
    return number.removeprefix("-") if number.startswith("-") else f"-{number}"


def _time_literal(text: Typed, target: DataType, at: Place) -> Typed:
    """A string literal read as a date or a time: "CAST('2024-01-01' AS DATE)".

    For a TIMESTAMP_LTZ it is read on the session's clock.
    """
    if target.name == "TIME":
        return replace(cast(text, DataType("TIME", precision=DIGITS), True, at), constant=text.constant)
    kind = DataType("TIMESTAMP", precision=target.precision) if target.name == "TIMESTAMP_LTZ" else target
    shown = Typed(f"CAST({text.sql} AS {kind.spark})", kind, text.constant)
    return as_instant(shown) if kind is not target else shown


def _built(sql: str, kind: DataType, *parts: Typed) -> Typed:
    return Typed(sql, kind, columns=frozenset().union(*(part.columns for part in parts)))
