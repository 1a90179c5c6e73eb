"""`[NOT] IN (SELECT …)` and `[NOT] EXISTS (SELECT …)`: semi and anti joins of rows in the same window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from airflow_nrt.report.hidden import WINDOW_END
from airflow_nrt.report.types import BOOLEAN
from airflow_nrt.sql import ast
from airflow_nrt.sql.aggregates import contains_aggregate
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions import Compiler
from airflow_nrt.sql.join_sides import Named, missing_equations, side_of
from airflow_nrt.sql.relation import Relation
from airflow_nrt.sql.scope import Scope, ScopeColumn
from airflow_nrt.sql.typed import Typed

_INNER = "_nrt_inner"


class Subqueries:
    """Answers for `[NOT] IN (SELECT …)` and `[NOT] EXISTS (SELECT …)` over rows of finished windows.

    `relation_of` plans what stands behind FROM. `inputs` are what the subqueries read.
    """

    def __init__(self, outer: Relation, alias: str | None, relation_of: Callable[[ast.Relation], Named]) -> None:
        self.outer = outer
        self.alias = alias
        self.relation_of = relation_of
        self.inputs: list[tuple[str, ...]] = []

    def __call__(self, node: ast.Expression) -> Typed | None:
        if isinstance(node, ast.In) and node.query is not None:
            operand = self._compiler().compile(node.operand)
            value, text = self._subquery(node.query, node.at)
            if value is None:
                raise SqlError("IN wants a query of one column", node.at)
            word = "NOT IN" if node.negated else "IN"
            return Typed(f"({operand.sql} {word} {text})", BOOLEAN, columns=operand.columns)
        if isinstance(node, ast.Exists):
            _, text = self._subquery(node.query, node.at)
            return Typed(f"EXISTS {text}", BOOLEAN.with_nullable(False))
        return None

    def _compiler(self) -> Compiler:
        return Compiler(Scope(self.outer.columns, self.alias), self)

    def _subquery(self, query: ast.Query, at: Place) -> tuple[Typed | None, str]:
        """What the subquery selects, None if that is not one column, and its text; its window is the outer row's."""
        if not isinstance(query, ast.Select) or query.relation is None or query.ctes or not is_of_rows(query):
            raise NotThereYet(
                "a subquery with more than SELECT, FROM and WHERE",
                at,
                "aggregate in a query behind its FROM, grouped by window_start, window_end and the keys",
            )
        relation, alias = self.relation_of(query.relation)
        _check_windows(self.outer, relation, at)
        rows = side_of(relation, alias or "", _INNER)
        outer = tuple(replace(column, table=column.table or self.alias) for column in self.outer.columns)
        scope = _Nested(rows.columns, Scope(outer, self.alias))
        _check_equal_windows(query.where, scope, set(rows.names), at)
        compiler = Compiler(scope)
        item = query.items[0].expression
        value = compiler.compile(item) if len(query.items) == 1 and not isinstance(item, ast.Star) else None
        condition = compiler.condition(query.where, "WHERE").sql if query.where is not None else "true"
        self.inputs.append(relation.inputs)
        selected = value.sql if value is not None else "1"
        return value, f"(SELECT {selected} FROM {rows.text} WHERE {_INNER}{WINDOW_END} = {WINDOW_END} AND {condition})"


def is_of_rows(query: ast.Select) -> bool:
    """Whether its groups are but its distinct rows, which make no difference to IN and EXISTS."""
    keys = [key for group in query.group or () for keys in group.sets for key in keys]
    plain = all(group.kind == "key" for group in query.group or ())
    of_keys = query.group is None or all(item.expression in keys or _is_literal(item) for item in query.items)
    return plain and of_keys and query.having is None and not contains_aggregate(query)


def _is_literal(item: ast.SelectItem) -> bool:
    return isinstance(item.expression, ast.Literal)


class _Nested(Scope):
    """A scope inside another: its own names come first."""

    def __init__(self, columns: tuple[ScopeColumn, ...], outer: Scope) -> None:
        super().__init__(columns)
        self.outer = outer

    def find(self, name: ast.Name) -> ScopeColumn:
        return super().find(name) if self.has(name) else self.outer.find(name)

    def resolve(self, name: ast.Name) -> Typed:
        return super().resolve(name) if self.has(name) else self.outer.resolve(name)


def _check_windows(outer: Relation, inner: Relation, at: Place) -> None:
    if outer.window is None or inner.window is None:
        raise NotThereYet("a subquery where not both queries have windows", at, "window both: TABLE(TUMBLE(…))")
    if outer.window != inner.window:
        raise NotThereYet(f"a subquery of {inner.window} in {outer.window}", at, "use the same window in both")


def _check_equal_windows(condition: ast.Expression | None, scope: Scope, left: set[str], at: Place) -> None:
    missing = missing_equations(condition, scope, left)
    if missing:
        raise NotThereYet(
            f"a subquery without equal {' and '.join(missing)}",
            at,
            f"add {' AND '.join(f'l.{name} = r.{name}' for name in missing)} to its condition",
        )
