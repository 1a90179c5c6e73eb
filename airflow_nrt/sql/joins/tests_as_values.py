"""`IN (SELECT …)`, `EXISTS (SELECT …)`, `> ALL (SELECT …)` and `> ANY (SELECT …)` as values, wherever they stand.

A query that groups what is looked for is joined, and each test becomes an expression over its columns:

x IN (q)       a row of q grouped by v is there for v = x
EXISTS (q)     MAX(1) of q, or a row of q grouped by what it compares with the row outside
x > ANY (q)    x > MIN(v)
x > ALL (q)    q has no row, or x > MAX(v) and no v is NULL

Where the difference between false and unknown shows, a test is unknown as in SQL: no row settles it, q has rows, and x
or some v is NULL. An aggregate such as MAX(1), unlike a count, does not change with each row of q.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.joins.correlation import Correlation, Outside, Pair
from airflow_nrt.sql.joins.joined_query import JoinedQuery, equal_to
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children, is_test
from airflow_nrt.sql.selects.subqueries import is_of_rows

Test = ast.In | ast.Exists | ast.Quantified
_INVERSE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_ROWS, _NULLS, _LEAST, _GREATEST = "rows", "nulls", "least", "greatest"


def is_joined(part: ast.Expression) -> bool:
    """Whether a condition is a test that is planned as a semi or an anti join."""
    inside = part.operand if isinstance(part, ast.Unary) and part.operator == "NOT" else part
    return is_test(inside) and not isinstance(inside, ast.Quantified)


def tests_in(node: ast.Expression, exact: bool) -> Iterator[tuple[Test, bool]]:
    """The tests inside an expression, and whether each is `exact`: it matters if it is false or unknown."""
    inside = exact
    match node:
        case ast.In() | ast.Exists() | ast.Quantified() if is_test(node):
            yield node, exact
            inside = True
        case ast.Case(None, branches, default):
            for when, then in branches:
                yield from tests_in(when, False)
                yield from tests_in(then, True)
            if default is not None:
                yield from tests_in(default, True)
            return
        case ast.Is(_, "TRUE"):
            inside = False
        case ast.Binary("AND" | "OR"):
            inside = exact
        case _:
            inside = True
    for child in children(node):
        yield from tests_in(child, inside)


@dataclass(frozen=True)
class TestValue:
    """An expression in place of a test, over queries that are joined under names that begin with `name`."""

    read: ast.Expression
    joined: tuple[JoinedQuery, ...]

    @classmethod
    def of(cls, test: Test, exact: bool, name: str, outside: Outside) -> TestValue:
        """Raises SqlError, and NotThereYet, at a query that can't be looked into."""
        looked_into = _LookedInto.of(test, name, outside)
        match test:
            case ast.Exists():
                return looked_into.exists()
            case ast.In(negated=negated):
                found = looked_into.found(exact or negated)
                return cls(_not(found.read), found.joined) if negated else found
            case ast.Quantified(_, operator, True) if exact:
                found = looked_into.any(_INVERSE[operator], True)
                return cls(_not(found.read), found.joined)
            case ast.Quantified(_, operator, True):
                return looked_into.all(operator)
            case ast.Quantified(_, operator):
                return looked_into.any(operator, exact)


@dataclass(frozen=True)
class _LookedInto:
    """The query of a test: its FROM, its `values`, what it compares with the outer row, and the `operands` outside."""

    relation: ast.Relation
    values: tuple[ast.Expression, ...]
    correlation: Correlation
    operands: tuple[ast.Expression, ...]
    name: str
    at: Place

    @classmethod
    def of(cls, test: Test, name: str, outside: Outside) -> _LookedInto:
        query, at = test.query, test.at
        assert query is not None
        operand = None if isinstance(test, ast.Exists) else test.operand
        is_list = isinstance(operand, ast.Call) and operand.name == "ROW"
        operands = operand.arguments if is_list and isinstance(operand, ast.Call) else (operand,) if operand else ()
        columns = tuple(f"value{n}" for n in range(len(operands)))
        plain = isinstance(query, ast.Select) and query.relation is not None and _only_filters(query)
        if isinstance(query, ast.Select) and plain and query.relation is not None:
            values = tuple(item.expression for item in query.items)
            if not operands or not any(isinstance(value, ast.Star) for value in values):
                if operands and len(values) != len(operands):
                    wanted = "one column" if len(operands) == 1 else f"{len(operands)} columns"
                    raise SqlError(f"a test with {len(operands)} values wants a query of {wanted}", at)
                return cls(query.relation, values, Correlation.of(query, outside), operands, name, at)
        whole = ast.Derived(query, at, f"{name} looked into", columns)
        values = tuple(ast.Name((column,), at) for column in columns)
        return cls(whole, values, Correlation((), None), operands, name, at)

    def exists(self) -> TestValue:
        if not self.correlation.pairs:
            summary = self._summary(_ROWS)
            return TestValue(self._is_there(_ROWS), (summary,))
        group = self._group(self.name, self.correlation.pairs)
        return TestValue(_present(ast.Name((self.name, _key(self.name, 0)), self.at)), (group,))

    def found(self, exact: bool) -> TestValue:
        name = f"{self.name} found"
        group = self._group(name, (*self.correlation.pairs, *zip(self.values, self.operands)))
        found = _present(ast.Name((name, _key(name, 0)), self.at))
        if not exact:
            return TestValue(found, (group,))
        if len(self.operands) > 1:
            raise NotThereYet(
                "NOT IN, or IN as a value, of several columns", self.at, "write NOT EXISTS (SELECT … WHERE …)"
            )
        return TestValue(self._settled(found), (group, self._summary(_ROWS, _NULLS)))

    def any(self, operator: str, exact: bool) -> TestValue:
        bounds = (_LEAST, _GREATEST) if operator in ("=", "<>") else (_LEAST if operator[0] == ">" else _GREATEST,)
        if operator == "=":
            return self.found(exact)
        truth = reduce(_or, (self._compared(operator, bound) for bound in bounds))
        if not exact:
            return TestValue(truth, (self._summary(*bounds),))
        return TestValue(self._settled(truth), (self._summary(_ROWS, _NULLS, *bounds),))

    def all(self, operator: str) -> TestValue:
        bounds = (_LEAST, _GREATEST) if operator == "=" else (_GREATEST if operator[0] == ">" else _LEAST,)
        truth = reduce(_and, (self._compared(operator, bound) for bound in bounds))
        no_null = _not(self._is_there(_NULLS))
        read = _or(_not(self._is_there(_ROWS)), _and(no_null, truth))
        return TestValue(read, (self._summary(_ROWS, _NULLS, *bounds),))

    def _settled(self, truth: ast.Expression) -> ast.Expression:
        """True, or else false or unknown."""
        at, (operand,) = self.at, self.operands
        unknown = _or(ast.Is(operand, "NULL", False, at), self._is_there(_NULLS))
        branches = (
            (truth, _truth("TRUE", at)),
            (_not(self._is_there(_ROWS)), _truth("FALSE", at)),
            (unknown, ast.Literal("null", "NULL", at)),
        )
        return ast.Case(None, branches, _truth("FALSE", at), at)

    def _compared(self, operator: str, bound: str) -> ast.Expression:
        (operand,) = self.operands
        return ast.Binary(operator, operand, self._column(bound), self.at)

    def _is_there(self, column: str) -> ast.Expression:
        return _present(self._column(column))

    def _column(self, name: str) -> ast.Name:
        return ast.Name((self.name, f"{self.name} {name}"), self.at)

    def _summary(self, *columns: str) -> JoinedQuery:
        """The query of these aggregates, for each row of which there is one of what it compares with the outer row."""
        at = self.at
        one: ast.Expression = ast.Literal("number", "1", at)
        value = self.values[0] if self.values else one
        known = {
            _ROWS: ast.Call("MAX", (one,), at),
            _NULLS: ast.Call("MAX", (one,), at, filter=ast.Is(value, "NULL", False, at)),
            _LEAST: ast.Call("MIN", (value,), at),
            _GREATEST: ast.Call("MAX", (value,), at),
        }
        items = [ast.SelectItem(known[column], f"{self.name} {column}") for column in columns]
        return self._joined(self.name, self.correlation.pairs, items)

    def _group(self, name: str, pairs: tuple[Pair, ...]) -> JoinedQuery:
        """The query of the different values of these pairs."""
        return self._joined(name, pairs, [])

    def _joined(self, name: str, pairs: tuple[Pair, ...], items: list[ast.SelectItem]) -> JoinedQuery:
        keys = [_key(name, n) for n in range(len(pairs))]
        items += [ast.SelectItem(own, key) for (own, _), key in zip(pairs, keys)]
        group = tuple(ast.Grouping("key", ((own,),), self.at) for own, _ in pairs) or None
        query = ast.Select(tuple(items), self.relation, self.at, where=self.correlation.rest, group=group)
        return JoinedQuery(name, query, equal_to(name, keys, pairs, self.at), frozenset(keys), self.at)


def _key(name: str, n: int) -> str:
    """A name that no column of the outer query has."""
    return f"{name} key{n}"


def _only_filters(query: ast.Select) -> bool:
    return is_of_rows(query) and not query.ctes and query.limit is None and query.offset is None


def _present(node: ast.Expression) -> ast.Expression:
    return ast.Is(node, "NULL", True, node.at)


def _not(node: ast.Expression) -> ast.Expression:
    return ast.Unary("NOT", node, node.at)


def _or(left: ast.Expression, right: ast.Expression) -> ast.Expression:
    return ast.Binary("OR", left, right, left.at)


def _and(left: ast.Expression, right: ast.Expression) -> ast.Expression:
    return ast.Binary("AND", left, right, left.at)


def _truth(word: str, at: Place) -> ast.Expression:
    return ast.Literal("boolean", word, at)
