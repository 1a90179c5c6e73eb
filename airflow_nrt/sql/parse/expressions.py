"""Expressions of Flink SQL, by precedence: OR, AND, NOT, comparison, `||`, `+ -`, `* / %`, sign, postfix, primary."""

from __future__ import annotations

from typing import Protocol

from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.calls import SPECIAL, brackets
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.literals import TIME_UNITS, difference, interval, worded_literal
from airflow_nrt.sql.parse.other_words import check_exclusion, check_nulls, check_order, check_zone
from airflow_nrt.sql.parse.over_frames import parse_frame
from airflow_nrt.sql.parse.types import parse_type
from airflow_nrt.sql.parse.words.lexer import TokenKind

_COMPARISONS = ("=", "<>", "!=", "<", "<=", ">", ">=")
_NO_PARENTHESES = ("CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "NOW")
_MAX_DEPTH = 50
_MOST_REPEATED = 10_000
"""The most tokens that an expression may add by tokens that are written once and mean several."""


class Queries(Protocol):
    """The parser of queries in parentheses, which is `QueryParser`."""

    def starts_query(self) -> bool: ...
    def query(self) -> ast.Query: ...
    def table_argument(self, at: Place) -> ast.Expression: ...
    def partitioned_argument(self, value: ast.Name | ast.Scalar, at: Place) -> ast.Expression: ...


class ExpressionParser:
    """Parses expressions. `queries` parses a query in parentheses, which may be part of any expression."""

    def __init__(self, cursor: Cursor, queries: Queries) -> None:
        self.cursor = cursor
        self.queries = queries
        self.depth = 0
        self.repeated = 0

    def expression(self) -> ast.Expression:
        self.repeated = self.repeated if self.depth else 0
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.cursor.error(f"at most {_MAX_DEPTH} nested expressions")
        result = self._or()
        self.depth -= 1
        return result

    def _or(self) -> ast.Expression:
        left = self._and()
        while self.cursor.take_word("OR"):
            left = ast.Binary("OR", left, self._and(), left.at)
        return left

    def _and(self) -> ast.Expression:
        left = self._not()
        while self.cursor.take_word("AND"):
            left = ast.Binary("AND", left, self._not(), left.at)
        return left

    def _not(self) -> ast.Expression:
        at = self.cursor.at
        negations = 0
        while self.cursor.take_word("NOT"):
            negations += 1
        operand = self._comparison()
        return ast.Unary("NOT", operand, at) if negations % 2 else operand

    # ------------------------------------------------------------------ comparisons

    def _comparison(self) -> ast.Expression:
        start = self._reach
        left = self.operand()
        while True:
            operator = self.cursor.take_any_symbol(*_COMPARISONS)
            if operator:
                operator = "<>" if operator == "!=" else operator
                left = self._quantified(left, operator) or ast.Binary(operator, left, self.operand(), left.at)
                continue
            test = self._test(left, start)
            if test is None:
                return left
            left = test

    def _quantified(self, left: ast.Expression, operator: str) -> ast.Expression | None:
        """`> ALL (SELECT …)`. `= ANY (…)` and `<> ALL (…)` are IN and NOT IN. None if there is no such word."""
        cursor = self.cursor
        if not (cursor.token.upper in ("ALL", "ANY", "SOME") and cursor.ahead().text == "("):
            return None
        is_all = cursor.is_word("ALL")
        word = cursor.advance()
        if operator == ("<>" if is_all else "="):
            return self._in(left, negated=is_all)
        cursor.expect_symbol("(")
        if not self.queries.starts_query():
            raise NotThereYet(f"{operator} {word.upper} of a list", word.at, "join comparisons with AND or OR")
        query = self.queries.query()
        cursor.expect_symbol(")")
        return ast.Quantified(left, operator, is_all, query, left.at)

    @property
    def _reach(self) -> int:
        """The number of tokens up to here, with repetitions."""
        return self.cursor.index + self.repeated

    def _repeat(self, start: int, times: int) -> None:
        """Counts `times` repetitions in the tree of the tokens since `start`. Raises SqlError if they are too many."""
        self.repeated += (self._reach - start) * times
        if self.repeated > _MOST_REPEATED:
            raise SqlError(
                "BETWEEN SYMMETRIC, or WHEN with several values, inside itself becomes too long: compute the inner one "
                "in a subquery in FROM",
                self.cursor.at,
            )

    def _test(self, left: ast.Expression, start: int) -> ast.Expression | None:
        cursor = self.cursor
        if cursor.take_word("IS"):
            return self._is(left)
        negated = cursor.is_word("NOT") and cursor.ahead().upper in ("BETWEEN", "IN", "LIKE", "SIMILAR")
        if negated:
            cursor.advance()
        if cursor.take_word("BETWEEN"):
            either_way = cursor.take_any_word("ASYMMETRIC", "SYMMETRIC") == "SYMMETRIC"
            low = self.operand()
            cursor.expect_word("AND")
            high = self.operand()
            between = ast.Between(left, low, high, negated, left.at)
            if either_way:
                self._repeat(start, 1)
            turned = ast.Between(left, high, low, negated, left.at)
            return ast.Binary("AND" if negated else "OR", between, turned, left.at) if either_way else between
        if cursor.take_word("IN"):
            return self._in(left, negated)
        similar = cursor.take_word("SIMILAR", "TO")
        if similar or cursor.take_word("LIKE"):
            pattern = self.operand()
            escape = self.operand() if cursor.take_word("ESCAPE") else None
            return ast.Like(left, pattern, escape, negated, left.at, similar)
        return None

    def _is(self, left: ast.Expression) -> ast.Expression:
        cursor = self.cursor
        negated = cursor.take_word("NOT")
        if cursor.take_word("DISTINCT", "FROM"):
            operator = "IS NOT DISTINCT FROM" if negated else "IS DISTINCT FROM"
            return ast.Binary(operator, left, self.operand(), left.at)
        if cursor.take_word("JSON"):
            kind = cursor.take_any_word("VALUE", "SCALAR", "ARRAY", "OBJECT") or "VALUE"
            test = ast.Call("IS JSON", (left, ast.Keyword(kind, left.at)), left.at)
            return ast.Unary("NOT", test, left.at) if negated else test
        what = cursor.take_any_word("NULL", "TRUE", "FALSE", "UNKNOWN")
        if what is None:
            raise cursor.error("NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM")
        return ast.Is(left, what, negated, left.at)

    def _in(self, left: ast.Expression, negated: bool) -> ast.Expression:
        self.cursor.expect_symbol("(")
        if self.queries.starts_query():
            query = self.queries.query()
            self.cursor.expect_symbol(")")
            return ast.In(left, (), query, negated, left.at)
        values = self.cursor.listed(self.expression)
        self.cursor.expect_symbol(")")
        return ast.In(left, values, None, negated, left.at)

    # ------------------------------------------------------------------ arithmetic

    def operand(self) -> ast.Expression:
        """An operand of a comparison: no AND, OR, IN or BETWEEN."""
        left = self._sum()
        while self.cursor.take_symbol("||"):
            left = ast.Binary("||", left, self._sum(), left.at)
        return left

    def _sum(self) -> ast.Expression:
        left = self._product()
        while operator := self.cursor.take_any_symbol("+", "-"):
            left = ast.Binary(operator, left, self._product(), left.at)
        return left

    def _product(self) -> ast.Expression:
        left = self._sign()
        while operator := self.cursor.take_any_symbol("*", "/", "%"):
            left = ast.Binary(operator, left, self._sign(), left.at)
        return left

    def _sign(self) -> ast.Expression:
        at = self.cursor.at
        negative = False
        while sign := self.cursor.take_any_symbol("+", "-"):
            negative ^= sign == "-"
        operand = self._postfix()
        return ast.Unary("-", operand, at) if negative else operand

    def _postfix(self) -> ast.Expression:
        operand = self._primary()
        while True:
            check_zone(self.cursor)
            if self.cursor.take_symbol("["):
                index = self.expression()
                self.cursor.expect_symbol("]")
                operand = ast.Index(operand, index, operand.at)
            elif not isinstance(operand, ast.Star) and self.cursor.take_symbol("."):
                operand = ast.Dot(operand, self.cursor.name("the name of a field"), operand.at)
            else:
                return operand

    # ------------------------------------------------------------------ primaries

    def _primary(self) -> ast.Expression:
        cursor, token = self.cursor, self.cursor.token
        at = token.at
        if token.kind is TokenKind.NUMBER:
            return ast.Literal("number", cursor.advance().text, at)
        if cursor.is_string():
            if cursor.ahead().upper in TIME_UNITS:
                # FLIP-66 writes `ts - '5' SECOND`; a unit is a reserved word, so that it is no alias.
                return interval(cursor, at)
            return ast.Literal("string", cursor.string(), at)
        if cursor.is_symbol("("):
            return self._parenthesised(at)
        if cursor.is_symbol("*"):
            cursor.advance()
            return ast.Star(None, at)
        if (word := cursor.take_any_word("NULL", "TRUE", "FALSE")) is not None:
            return ast.Literal("null" if word == "NULL" else "boolean", word, at)
        if (literal := worded_literal(cursor)) is not None:
            return literal
        if cursor.take_word("INTERVAL"):
            return interval(cursor, at)
        if cursor.is_word("CASE"):
            return self._case(at)
        if cursor.is_word("EXISTS"):
            cursor.advance()
            cursor.expect_symbol("(")
            query = self.queries.query()
            cursor.expect_symbol(")")
            return ast.Exists(query, at)
        if token.kind is TokenKind.NAME and cursor.ahead().kind is TokenKind.SYMBOL and cursor.ahead().text == "(":
            return self._call(at)
        if token.upper in ("ARRAY", "MAP") and cursor.ahead().text == "[":
            return brackets(self, at)
        if token.upper in _NO_PARENTHESES:
            return ast.Call(cursor.advance().upper, (), at)
        return self._name(at)

    def _parenthesised(self, at: Place) -> ast.Expression:
        self.cursor.advance()
        if self.queries.starts_query():
            query = self.queries.query()
            self.cursor.expect_symbol(")")
            return ast.Scalar(query, at)
        values = self.cursor.listed(self.expression)
        self.cursor.expect_symbol(")")
        if len(values) == 2 and self.cursor.take_word("OVERLAPS"):
            return self._overlaps(values, at)
        return difference(self.cursor, values[0], at) if len(values) == 1 else ast.Call("ROW", values, at)

    def _overlaps(self, first: tuple[ast.Expression, ...], at: Place) -> ast.Expression:
        """`(a, b) OVERLAPS (c, d)`, after OVERLAPS."""
        cursor = self.cursor
        cursor.expect_symbol("(")
        other = self.expression()
        cursor.expect_symbol(",")
        arguments = (*first, other, self.expression())
        cursor.expect_symbol(")")
        return ast.Call("OVERLAPS", arguments, at)

    def _name(self, at: Place) -> ast.Expression:
        parts = [self.cursor.name("an expression")]
        while self.cursor.take_symbol("."):
            if self.cursor.take_symbol("*"):
                return ast.Star(parts[-1], at)
            parts.append(self.cursor.name())
        return ast.Name(tuple(parts), at)

    def _case(self, at: Place) -> ast.Expression:
        cursor = self.cursor
        cursor.advance()
        operand = None if cursor.is_word("WHEN") else self.expression()
        branches: list[tuple[ast.Expression, ast.Expression]] = []
        while cursor.take_word("WHEN"):
            conditions = cursor.listed(self.expression) if operand is not None else (self.expression(),)
            cursor.expect_word("THEN")
            start = self._reach
            result = self.expression()
            self._repeat(start, len(conditions) - 1)
            branches += [(condition, result) for condition in conditions]
        if not branches:
            raise cursor.error("WHEN")
        default = self.expression() if cursor.take_word("ELSE") else None
        cursor.expect_word("END")
        return ast.Case(operand, tuple(branches), default, at)

    # ------------------------------------------------------------------ calls

    def _call(self, at: Place) -> ast.Expression:
        cursor = self.cursor
        name = cursor.advance().upper
        cursor.expect_symbol("(")
        if name in ("CAST", "TRY_CAST"):
            operand = self.expression()
            cursor.expect_word("AS")
            kind = parse_type(cursor)
            cursor.expect_symbol(")")
            return ast.Cast(operand, kind, name == "CAST", at)
        if name == "DESCRIPTOR":
            columns = cursor.listed(self._descriptor_column)
            cursor.expect_symbol(")")
            return ast.Descriptor(columns, at)
        special = SPECIAL.get(name)
        if special is not None:
            arguments, distinct = special(self), False
        else:
            distinct = cursor.take_word("DISTINCT")
            if not distinct:
                cursor.take_word("ALL")
            arguments = () if cursor.is_symbol(")") else cursor.listed(self._argument)
            if name == "ARRAY_AGG":
                cursor.take_word("RESPECT", "NULLS")
            check_nulls(cursor, name)
            check_order(cursor, name)
        cursor.expect_symbol(")")
        return self._after_call(name, arguments, distinct, at)

    def _after_call(self, name: str, arguments: tuple[ast.Expression, ...], distinct: bool, at: Place) -> ast.Call:
        cursor = self.cursor
        within: tuple[ast.OrderItem, ...] = ()
        condition = over = None
        if cursor.take_word("WITHIN", "GROUP"):
            cursor.expect_symbol("(")
            cursor.expect_word("ORDER", "BY")
            within = cursor.listed(self.order_item)
            cursor.expect_symbol(")")
        if cursor.is_word("FILTER") and cursor.ahead().text == "(":
            cursor.advance()
            cursor.expect_symbol("(")
            cursor.expect_word("WHERE")
            condition = self.expression()
            cursor.expect_symbol(")")
        check_nulls(cursor, name)
        if cursor.is_word("OVER"):
            cursor.advance()
            over = self.over()
        return ast.Call(name, arguments, at, distinct, condition, over, within)

    def _descriptor_column(self) -> ast.Name:
        at = self.cursor.at
        parts = [self.cursor.name("the name of a column")]
        while self.cursor.take_symbol("."):
            parts.append(self.cursor.name("the name of a field"))
        return ast.Name(tuple(parts), at)

    def _argument(self) -> ast.Expression:
        cursor = self.cursor
        at = cursor.at
        if cursor.token.kind in (TokenKind.NAME, TokenKind.QUOTED) and cursor.ahead().text == "=>":
            name = cursor.advance().text.upper()
            cursor.advance()
            return ast.Named(name, self._argument(), at)
        if cursor.take_word("TABLE"):
            return self.queries.table_argument(at)
        if cursor.is_symbol("(") and cursor.ahead().upper == "TABLE":
            cursor.advance()
            argument = self._argument()
            cursor.expect_symbol(")")
            return argument
        value = self.expression()
        if cursor.is_word("PARTITION", "BY") and isinstance(value, (ast.Name, ast.Scalar)):
            return self.queries.partitioned_argument(value, at)
        return value

    def order_item(self) -> ast.OrderItem:
        expression = self.expression()
        descending = self.cursor.take_any_word("ASC", "DESC") == "DESC"
        nulls_first = None
        if self.cursor.take_word("NULLS"):
            where = self.cursor.take_any_word("FIRST", "LAST")
            if where is None:
                raise self.cursor.error("FIRST or LAST")
            nulls_first = where == "FIRST"
        return ast.OrderItem(expression, descending, nulls_first)

    def over(self) -> ast.Over:
        """The definition after OVER: a name, or `(PARTITION BY … ORDER BY … frame)`."""
        cursor = self.cursor
        at = cursor.at
        if not cursor.is_symbol("("):
            return ast.Over((), (), None, cursor.name("'(' or the name of a window"), at)
        cursor.advance()
        name = None
        if cursor.is_name() and not cursor.is_word("RANGE"):
            name = cursor.name()
        partition = cursor.listed(self.expression) if cursor.take_word("PARTITION", "BY") else ()
        order = cursor.listed(self.order_item) if cursor.take_word("ORDER", "BY") else ()
        frame = parse_frame(cursor, self.expression)
        check_exclusion(cursor)
        cursor.expect_symbol(")")
        return ast.Over(partition, order, frame, name, at)
