"""`(SELECT …)` as a value: a query of at most one row for each outer row. It is joined, and NULL if there is no row.

A query that compares columns with the outer row, `(SELECT AVG(o.price) FROM orders AS o WHERE o.shop = shops.id)`, is
grouped by these columns. Tests such as `IN (SELECT …)` are values of such queries, too (`tests_as_values.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from airflow_nrt.sql.aggregates.grouped_windows import grouped_window
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.aggregates import contains_aggregate, is_aggregate
from airflow_nrt.sql.from_clause.constant_rows import is_constant, join_constants
from airflow_nrt.sql.joins.correlation import CORRELATED, Correlation, Outside, reads_outer, tables_of
from airflow_nrt.sql.joins.joined_query import JoinedQuery, equal_to
from airflow_nrt.sql.joins.tests_as_values import Test, TestValue, is_joined, tests_in
from airflow_nrt.sql.logical.filter import Subquery
from airflow_nrt.sql.logical.folded import as_written
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import QUERY
from airflow_nrt.sql.parse.walk import children, conjuncts, rewritten
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.updating.updating_join import plan_join

_AS_VALUES = (ast.Scalar, ast.In, ast.Exists, ast.Quantified)


def with_values(
    findings: Findings,
    node: ast.Select,
    relation: Relation,
    alias: str | None,
    relation_of: Callable[[ast.Relation], Named],
) -> tuple[ast.Select, Relation, str | None]:
    """The SELECT with columns instead of its queries, the rows with these columns, and their alias.

    `relation_of` plans a FROM. Raises SqlError, and NotThereYet, at a query that is no value.
    """
    read = [item.expression for item in node.items] + [part for part in (node.where, node.having) if part is not None]
    read += [key for group in node.group or () for keys in group.sets for key in keys]
    queries = list(dict.fromkeys(query for part in read for query in queries_in(part)))
    tests = _tests_of(node, relation)
    if not (queries or tests) or is_constant(relation):
        return node, relation, alias
    if relation.pending is not None or grouped_window(node) is not None:
        raise NotThereYet(
            "a query as a value where a windowing function is still to be grouped",
            [*queries, *tests][0].at,
            "group in a subquery and compare in the query over it, or join in FROM: FROM … CROSS JOIN (SELECT …) AS v",
        )
    outside = frozenset({alias, *(column.table for column in relation.columns)} - {None})
    values: dict[ast.Expression, _Value | TestValue] = {
        query: _Value.of(query, f"{QUERY}{n}", outside) for n, query in enumerate(queries)
    }
    values |= {
        test: TestValue.of(test, exact, f"{QUERY}{n}", outside)
        for n, (test, exact) in enumerate(tests.items(), len(queries))
    }

    def change(part: Any) -> Any:
        return values[part].read if isinstance(part, _AS_VALUES) and part in values else None

    titled = tuple(
        replace(item, alias=item.alias or f"EXPR${n}") if isinstance(item.expression, ast.Scalar) else item
        for n, item in enumerate(node.items)
    )
    node = replace(
        node,
        items=rewritten(titled, change),
        where=rewritten(node.where, change),
        group=rewritten(node.group, change),
        having=rewritten(node.having, change),
    )
    for scalar, value in values.items():
        assert isinstance(scalar, _AS_VALUES) and scalar.query is not None
        for joined in value.joined:
            relation = _with_joined(findings, node, (relation, alias), joined, scalar.query, relation_of)
            alias = None
    return node, relation, alias


def _with_joined(
    findings: Findings,
    node: ast.Select,
    outer: Named,
    joined: JoinedQuery,
    written: ast.Query,
    relation_of: Callable[[ast.Relation], Named],
) -> Relation:
    """The rows with the columns of a query, which a star does not select."""
    relation, alias = outer
    inner, _ = relation_of(ast.Derived(joined.query, joined.at))
    tree = as_written(inner.node, written)
    joined.check(inner)
    width = len(relation.columns)
    here = ast.TableName("", node.at)
    both = ast.Join("LEFT", here, here, joined.condition, (), joined.at)
    sides = (relation, alias), (inner, joined.name)
    if is_constant(inner):
        relation = join_constants(findings, both, *sides)
        kept: tuple[str, ...] = ()
    else:
        left, right = ((side, side_columns(side, name)) for side, name in sides)
        relation = plan_join(findings, both, left, right, Demand(node), Boundless(*_BOUNDLESS, joined.at))
        kept = relation.inputs
    added = tuple(replace(column, merged=True) for column in relation.columns[width:])
    rows = Subquery(relation.node, tree, written, operators=kept)
    return replace(relation, node=rows, columns=(*relation.columns[:width], *added))


def _tests_of(node: ast.Select, relation: Relation) -> dict[Test, bool]:
    """The tests that are values, and whether each is exact. Conditions that AND joins in WHERE are joins of their own.
    All of WHERE over windows is Spark's."""
    parts = conjuncts(node.where) if node.where is not None and relation.window is None else ()
    found = [test for part in parts if not is_joined(part) for test in tests_in(part, False)]
    if node.having is not None:
        found += tests_in(node.having, False)
    keys = [key for group in node.group or () for keys in group.sets for key in keys]
    found += [test for part in (*(item.expression for item in node.items), *keys) for test in tests_in(part, True)]
    return {test: any(exact for one, exact in found if one == test) for test, _ in found}


def queries_in(node: ast.Expression) -> Iterator[ast.Scalar]:
    """The queries as values inside an expression."""
    if isinstance(node, ast.Scalar):
        yield node
    for child in children(node):
        yield from queries_in(child)


@dataclass(frozen=True)
class _Value:
    """A query as a value: the query that is `joined`, and the expression that reads its value (`read`)."""

    read: ast.Expression
    joined: tuple[JoinedQuery, ...]

    @classmethod
    def of(cls, node: ast.Scalar, name: str, outside: Outside) -> _Value:
        query, at = node.query, node.at
        read: ast.Expression = ast.Name((name, "value"), at)
        if not isinstance(query, ast.Select):
            return cls(read, (JoinedQuery(name, query, equal_to(name, (), (), at), frozenset(), at),))
        if len(query.items) != 1 or isinstance(query.items[0].expression, ast.Star):
            raise SqlError("a query as a value must select one column", at)
        correlation = Correlation.of(query, outside)
        pairs = correlation.pairs
        keys = [f"key{n}" for n in range(len(pairs))]
        value = query.items[0].expression
        is_one = query.group is None and query.limit is None and query.offset is None and contains_aggregate(query)
        if pairs and (not is_one or reads_outer(value, outside - set(tables_of(query.relation)))):
            raise NotThereYet(CORRELATED, at, "select one aggregate without GROUP BY")
        if pairs and isinstance(value, ast.Call) and value.name == "COUNT":
            read = ast.Call("COALESCE", (read, ast.Literal("number", "0", at)), at)
        elif pairs and any(part.name == "COUNT" for part in _aggregates(value)):
            raise NotThereYet(CORRELATED, at, "select COUNT alone, and compute with it in the outer query")
        items = [ast.SelectItem(value, "value"), *(ast.SelectItem(own, key) for (own, _), key in zip(pairs, keys))]
        group = tuple(ast.Grouping("key", ((own,),), at) for own, _ in pairs) or query.group
        grouped = replace(query, items=tuple(items), where=correlation.rest, group=group)
        return cls(read, (JoinedQuery(name, grouped, equal_to(name, keys, pairs, at), frozenset(keys), at),))


_BOUNDLESS = ("a query as a value", "compute it in the same windows, and join both by window_start and window_end")


def _aggregates(node: ast.Expression) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call) and is_aggregate(node):
        yield node
    for child in children(node):
        yield from _aggregates(child)
