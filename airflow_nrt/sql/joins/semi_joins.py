"""`[NOT] IN (SELECT …)` and `[NOT] EXISTS (SELECT …)` of rows without windows: semi and anti joins.

If the query only filters and projects, the join is with its FROM, so that its WHERE may read the outer row. Any other
query, such as an aggregation, is joined as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airflow_nrt.basics.spelling import quote
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.joins.scalar_subqueries import queries_in
from airflow_nrt.sql.logical.filter import Subquery
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import all_of, conjuncts, rewritten
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.selects.projection import has_subquery
from airflow_nrt.sql.selects.subqueries import is_of_rows, paired
from airflow_nrt.sql.updating.updating_join import plan_join

RelationOf = Callable[[ast.Relation], "tuple[Relation, str | None]"]
_OUTER, _INNER = "outer", "inner"


@dataclass(frozen=True)
class _Test:
    """One condition of a WHERE: its `query`, and for IN the `operand` that is compared with its values."""

    query: ast.Query
    operand: ast.Expression | None
    negated: bool
    at: Place

    @classmethod
    def of(cls, part: ast.Expression) -> _Test | None:
        match part:
            case ast.Unary("NOT", ast.Exists(query), at):
                return cls(query, None, True, at)
            case ast.Exists(query, at):
                return cls(query, None, False, at)
            case ast.Unary("NOT", ast.In(operand, _, query, negated, at)) if query is not None:
                return cls(query, operand, not negated, at)
            case ast.In(operand, _, query, negated, at) if query is not None:
                return cls(query, operand, negated, at)
        return None


def tested(
    findings: Findings, node: ast.Select, relation: Relation, alias: str | None, relation_of: RelationOf
) -> tuple[ast.Select, Relation]:
    """The SELECT without the subqueries of its WHERE, and the rows that these let pass. Rows in windows are unchanged.

    `relation_of` plans a FROM. Raises SqlError, and NotThereYet, at a subquery.
    """
    parts = list(conjuncts(node.where)) if node.where is not None else []
    tests = [test for part in parts if (test := _Test.of(part)) is not None]
    if not tests or relation.pending is not None or relation.window is not None:
        return node, relation
    rest = [part for part in parts if _Test.of(part) is None]
    unknown = [part for part in rest if has_subquery(part)]
    relation = _filtered(findings, all_of([part for part in rest if part not in unknown]), relation, alias)
    left = [part for part in parts if part not in rest]
    for test in tests:
        left = left[1:]
        demand = Demand(replace(node, where=all_of([*left, *unknown])))
        relation = _semi_join(findings, test, relation, alias, relation_of, demand)
    return replace(node, where=all_of(unknown)), relation


def _semi_join(
    findings: Findings, test: _Test, relation: Relation, alias: str | None, relation_of: RelationOf, demand: Demand
) -> Relation:
    query = test.query
    if isinstance(query, ast.Select) and _is_of_rows(query):
        assert query.relation is not None
        (inner, name), where = relation_of(query.relation), query.where
        values = [item.expression for item in query.items]
        node: Node = selected(query, inner.node)
    else:
        (inner, name), where = relation_of(ast.Derived(query, test.at)), None
        values = [ast.Star(None, test.at)]
        node = inner.node
    outer_scope = Scope(relation.columns, alias)
    scopes = [(Scope(inner.columns, name), _INNER), (outer_scope, _OUTER)]
    parts = [_qualified(part, scopes) for part in ([where] if where is not None else [])]
    if test.operand is not None:
        compiler = Compiler(Scope((*_titled(relation.columns, _OUTER), *_titled(inner.columns, _INNER))))
        for operand, value in paired(test.operand, values, inner, test.at):
            left, right = _qualified(operand, [(outer_scope, _OUTER)]), _qualified(value, scopes)
            equal: ast.Expression = ast.Binary("=", left, right, test.at)
            if test.negated and any(compiler.compile(side).type.nullable for side in (left, right)):
                # A comparison with NULL is unknown, so that NOT IN is not true.
                equal = ast.Is(equal, "FALSE", True, test.at)
            parts.append(equal)
    condition = all_of(parts) or ast.Literal("boolean", "TRUE", test.at)
    what = f"{'NOT ' if test.negated else ''}{'EXISTS' if test.operand is None else 'IN'} (SELECT …) without windows"
    clause = "window both queries, and compare their window_start and window_end with ="
    here = ast.TableName("", test.at)
    join = ast.Join("ANTI" if test.negated else "SEMI", here, here, condition, (), test.at)
    sides = (relation, _titled(relation.columns, _OUTER)), (inner, _titled(inner.columns, _INNER))
    joined = plan_join(findings, join, *sides, demand, Boundless(what, clause, test.at))
    joined = replace(joined, node=Subquery(relation.node, node, query, operators=joined.inputs))
    return _named_again(joined, relation)


def _is_of_rows(query: ast.Select) -> bool:
    """Whether it only filters and projects its FROM."""
    tests = query.where is not None and (has_subquery(query.where) or any(queries_in(query.where)))
    counts = query.limit is not None or query.offset is not None
    return query.relation is not None and not query.ctes and not tests and not counts and is_of_rows(query)


def _titled(columns: Sequence[ScopeColumn], side: str) -> tuple[ScopeColumn, ...]:
    """The columns of one side, qualified by a table name that no query can write."""
    titled = []
    for column in columns:
        table = _table(side, column)
        titled.append(replace(column, name=f"{table}.{column.title}", table=table, shown=column.title))
    return tuple(titled)


def _table(side: str, column: ScopeColumn) -> str:
    return f"{side} {column.table}" if column.table else side


def _qualified(node: ast.Expression, scopes: Sequence[tuple[Scope, str]]) -> ast.Expression:
    """The expression with the qualified names of both sides. A name means a column of the first scope that has it."""

    def change(part: Any) -> Any:
        if not isinstance(part, ast.Name):
            return None
        scope, side = next((one for one in scopes if one[0].has(part)), scopes[0])
        column, path = scope.located(part)
        return replace(part, parts=(_table(side, column), column.title, *path))

    return rewritten(node, change)


def _filtered(findings: Findings, where: ast.Expression | None, relation: Relation, alias: str | None) -> Relation:
    """The rows that the rest of WHERE lets pass. Only these are kept."""
    if where is None:
        return relation
    compiler = Compiler(Scope(relation.columns, alias, relation.has_batch), place=relation.place)
    condition = compiler.condition(where, "WHERE")
    findings.note_columns(relation, [condition])
    return replace(relation, text=f"(SELECT * FROM {relation.text} WHERE {condition.sql})")


def _named_again(joined: Relation, relation: Relation) -> Relation:
    """The rows that passed, with their own column names."""
    names = {titled.name: column for titled, column in zip(_titled(relation.columns, _OUTER), relation.columns)}
    columns = tuple(
        replace(column, name=names[column.name].name, table=names[column.name].table, shown=names[column.name].shown)
        for column in joined.columns
    )
    items = [f"{quote(old.name)} AS {quote(new.name)}" for old, new in zip(joined.columns, columns)]
    kept = {old.name: new.name for old, new in zip(joined.columns, columns)}
    return replace(
        joined,
        text=f"(SELECT {', '.join([*items, *joined.hidden])} FROM {joined.text})",
        columns=columns,
        unique=tuple(tuple(kept[name] for name in key) for key in joined.unique),
    )
