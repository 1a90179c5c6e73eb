"""`(SELECT …)` as a value: a query of at most one row for each outer row. It is joined, and NULL if there is no row.

A query that compares columns with the outer row, `(SELECT AVG(o.price) FROM orders AS o WHERE o.shop = shops.id)`, is
grouped by these columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from airflow_nrt.sql.aggregates.grouped_windows import grouped_window
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.aggregates import contains_aggregate, is_aggregate
from airflow_nrt.sql.from_clause.constant_rows import is_constant, join_constants
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
    if not queries or is_constant(relation):
        return node, relation, alias
    if relation.pending is not None or grouped_window(node) is not None:
        raise NotThereYet(
            "a query as a value where a windowing function is still to be grouped",
            queries[0].at,
            "group in a subquery and compare in the query over it, or join in FROM: FROM … CROSS JOIN (SELECT …) AS v",
        )
    outside = frozenset({alias, *(column.table for column in relation.columns)} - {None})
    values = {query: _Value.of(query, f"{QUERY}{n}", outside) for n, query in enumerate(queries)}

    def change(part: Any) -> Any:
        return values[part].read if isinstance(part, ast.Scalar) else None

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
    here = ast.TableName("", node.at)
    for scalar, value in values.items():
        inner, _ = relation_of(ast.Derived(value.query, value.at))
        tree = as_written(inner.node, scalar.query)
        value.check(inner)
        width = len(relation.columns)
        both = ast.Join("LEFT", here, here, value.condition, (), value.at)
        sides = (relation, alias), (inner, value.name)
        if is_constant(inner):
            relation = join_constants(findings, both, *sides)
            kept: tuple[str, ...] = ()
        else:
            left, right = ((side, side_columns(side, name)) for side, name in sides)
            relation = plan_join(findings, both, left, right, Demand(node), Boundless(*_BOUNDLESS, value.at))
            kept = relation.inputs
        relation = replace(relation, node=Subquery(relation.node, tree, scalar.query, operators=kept))
        alias = None
        # A star does not select them.
        added = tuple(replace(column, merged=True) for column in relation.columns[width:])
        relation = replace(relation, columns=(*relation.columns[:width], *added))
    return node, relation, alias


def queries_in(node: ast.Expression) -> Iterator[ast.Scalar]:
    """The queries as values inside an expression."""
    if isinstance(node, ast.Scalar):
        yield node
    for child in children(node):
        yield from queries_in(child)


@dataclass(frozen=True)
class _Value:
    """A query as a value: the `query` that is joined, its table `name`, the `condition` of the join, and the expression
    that reads its value (`read`)."""

    name: str
    query: ast.Query
    condition: ast.Expression
    read: ast.Expression
    keys: frozenset[str]
    at: Place

    @classmethod
    def of(cls, node: ast.Scalar, name: str, outside: frozenset[str | None]) -> _Value:
        query, at = node.query, node.at
        read: ast.Expression = ast.Name((name, "value"), at)
        if not isinstance(query, ast.Select):
            return cls(name, query, _all_of([], at), read, frozenset(), at)
        if len(query.items) != 1 or isinstance(query.items[0].expression, ast.Star):
            raise SqlError("a query as a value must select one column", at)
        outside -= set(_tables(query.relation))
        parts = list(conjuncts(query.where)) if query.where is not None else []
        related = [part for part in parts if _reads_outer(part, outside)]
        pairs = [_pair(part, outside) for part in related]
        keys = [f"key{n}" for n in range(len(pairs))]
        value = query.items[0].expression
        is_one = query.group is None and query.limit is None and query.offset is None and contains_aggregate(query)
        if pairs and (not is_one or _reads_outer(value, outside)):
            raise NotThereYet(_CORRELATED, at, "select one aggregate without GROUP BY")
        if pairs and isinstance(value, ast.Call) and value.name == "COUNT":
            read = ast.Call("COALESCE", (read, ast.Literal("number", "0", at)), at)
        elif pairs and any(part.name == "COUNT" for part in _aggregates(value)):
            raise NotThereYet(_CORRELATED, at, "select COUNT alone, and compute with it in the outer query")
        items = [ast.SelectItem(value, "value"), *(ast.SelectItem(own, key) for (own, _), key in zip(pairs, keys))]
        rest = [part for part in parts if part not in related]
        group = tuple(ast.Grouping("key", ((own,),), at) for own, _ in pairs) or query.group
        where = _all_of(rest, at) if rest else None
        equations = [ast.Binary("=", theirs, ast.Name((name, key), at), at) for (_, theirs), key in zip(pairs, keys)]
        grouped = replace(query, items=tuple(items), where=where, group=group)
        return cls(name, grouped, _all_of(equations, at), read, frozenset(keys), at)

    def check(self, relation: Relation) -> None:
        """Raises NotThereYet if it can have several rows for one outer row."""
        if not is_constant(relation) and not any(self.keys >= set(key) for key in relation.unique):
            raise NotThereYet(
                "a query of several rows as a value",
                self.at,
                "write an aggregate without GROUP BY, which gives one row",
            )


_CORRELATED = "a query as a value that compares with the row outside like this"
_BOUNDLESS = ("a query as a value", "compute it in the same windows, and join both by window_start and window_end")


def _pair(part: ast.Expression, outside: frozenset[str | None]) -> tuple[ast.Expression, ast.Expression]:
    """The operands of an equation: of the query's own rows, and of the outer row. Raises NotThereYet."""
    if isinstance(part, ast.Binary) and part.operator == "=":
        for own, theirs in ((part.left, part.right), (part.right, part.left)):
            if not _reads_outer(own, outside) and all(_reads_outer(name, outside) for name in _names(theirs)):
                return own, theirs
    raise NotThereYet(_CORRELATED, part.at, "compare a column of the query and one outside with =")


def _reads_outer(node: ast.Expression, outside: frozenset[str | None]) -> bool:
    """Whether it names a table of the outer query."""
    return any(len(name.parts) > 1 and name.parts[0] in outside for name in _names(node))


def _names(node: ast.Expression) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name):
        yield node
    for child in children(node):
        yield from _names(child)


def _aggregates(node: ast.Expression) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call) and is_aggregate(node):
        yield node
    for child in children(node):
        yield from _aggregates(child)


def _tables(relation: ast.Relation | None) -> Iterator[str | None]:
    """The table names that qualify a query's own columns."""
    if isinstance(relation, ast.Join):
        yield from _tables(relation.left)
        yield from _tables(relation.right)
    elif isinstance(relation, (ast.TableName, ast.TableVersion)):
        yield relation.alias or relation.name
    elif relation is not None:
        yield getattr(relation, "alias", None)


def _all_of(parts: Sequence[ast.Expression], at: Place) -> ast.Expression:
    true: ast.Expression = ast.Literal("boolean", "TRUE", at)
    return reduce(lambda one, other: ast.Binary("AND", one, other, other.at), parts) if parts else true
