"""`[NOT] IN (SELECT …)` and `[NOT] EXISTS (SELECT …)`: semi and anti joins of rows in the same window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from airflow_nrt.basics.types import BOOLEAN
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.value_places import in_window
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed, common_type
from airflow_nrt.sql.kept_rows.kept_rows import finished_for
from airflow_nrt.sql.logical.filter import Subquery
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, missing_equations, side_of
from airflow_nrt.sql.relations.relation import BOUNDS, Relation

_INNER = "_nrt_inner"


class Subqueries:
    """Compiles `[NOT] IN (SELECT …)` and `[NOT] EXISTS (SELECT …)` over rows of finished windows.

    `relation_of` plans a FROM. `inputs` are the inputs of the subqueries.
    """

    def __init__(
        self, findings: Findings, outer: Relation, alias: str | None, relation_of: Callable[[ast.Relation], Named]
    ) -> None:
        self.findings = findings
        self.outer = outer
        self.alias = alias
        self.relation_of = relation_of
        self.inputs: list[tuple[str, ...]] = []
        self.queries: list[tuple[Node, ast.Query]] = []

    def __call__(self, node: ast.Expression) -> Typed | None:
        if isinstance(node, ast.In) and node.query is not None:
            operands, text = self._subquery(node.query, node.operand, node.at)
            listed = ", ".join(operand.sql for operand in operands)
            word = "NOT IN" if node.negated else "IN"
            columns = frozenset().union(*(operand.columns for operand in operands))
            return Typed(f"(({listed}) {word} {text})", BOOLEAN, columns=columns)
        if isinstance(node, ast.Exists):
            _, text = self._subquery(node.query, None, node.at)
            return Typed(f"EXISTS {text}", BOOLEAN.with_nullable(False))
        return None

    def above(self, rows: Node) -> Node:
        """The nodes of the subqueries, above the node of the outer rows."""
        for node, query in self.queries:
            rows = Subquery(rows, node, query)
        return rows

    def _subquery(self, query: ast.Query, operand: ast.Expression | None, at: Place) -> tuple[list[Typed], str]:
        """The operands of IN (none for EXISTS) and the text of the subquery, whose window is that of the outer row."""
        if not isinstance(query, ast.Select) or query.relation is None or query.ctes or not is_of_rows(query):
            raise NotThereYet(
                "a subquery with more than SELECT, FROM and WHERE",
                at,
                "aggregate in a subquery in its FROM, grouped by window_start, window_end and the keys",
            )
        relation, alias = self.relation_of(query.relation)
        # EXISTS reads no columns of its SELECT list.
        read = query.items if operand is not None else ()
        rest, relation = finished_for(self.findings, replace(query, items=read), relation, alias)
        _check_windows(self.outer, relation, at)
        rows = side_of(relation, alias or "", _INNER)
        outer = tuple(replace(column, table=column.table or self.alias) for column in self.outer.columns)
        outside = Scope(outer, self.alias)
        scope = _Nested(rows.columns, outside)
        pairs = paired(operand, [item.expression for item in query.items], rows, at) if operand is not None else []
        held = {role for role in (_held(*pair, outside, scope, rows) for pair in pairs) if role is not None}
        _check_equal_windows(rest.where, scope, rows, held, at)
        compiler = Compiler(scope, place=lambda: in_window((), f"{_INNER}{WINDOW_END}"))
        above = Compiler(outside, self, self.outer.place)
        compared = [(above.compile(left), compiler.compile(right)) for left, right in pairs]
        for left, right in compared:
            if common_type([left.type, right.type]) is None:
                raise SqlError(f"IN can't compare {left.type.flink} and {right.type.flink}: CAST one of them", at)
        condition = compiler.condition(rest.where, "WHERE").sql if rest.where is not None else "true"
        self.inputs.append(relation.inputs)
        self.queries.append((selected(query, relation.node), query))
        items = ", ".join(right.sql for _, right in compared) or "1"
        text = f"(SELECT {items} FROM {rows.text} WHERE {_INNER}{WINDOW_END} = {WINDOW_END} AND {condition})"
        return [left for left, _ in compared], text


def paired(
    operand: ast.Expression, values: Sequence[ast.Expression], inner: Relation, at: Place
) -> list[tuple[ast.Expression, ast.Expression]]:
    """The pairs that IN compares: `(a, b)` with the columns that its query selects of the rows `inner`, in order."""
    if any(isinstance(value, ast.Star) for value in values):
        values = [ast.Name((column.title,), at) for column in inner.columns if not column.merged]
    is_list = isinstance(operand, ast.Call) and operand.name == "ROW" and len(values) > 1
    operands = operand.arguments if is_list and isinstance(operand, ast.Call) else (operand,)
    if len(operands) != len(values):
        wanted = "one column" if len(operands) == 1 else f"{len(operands)} columns"
        raise SqlError(f"IN wants a query of {wanted}", at)
    return list(zip(operands, values))


def _held(left: ast.Expression, right: ast.Expression, outside: Scope, inside: Scope, rows: Relation) -> str | None:
    """The window bound that IN holds equal, if both columns are the same bound."""
    if not (isinstance(left, ast.Name) and isinstance(right, ast.Name)):
        return None
    one, other = outside.find(left), inside.find(right)
    return one.role if one.role == other.role and other.name in rows.names else None


def is_of_rows(query: ast.Select) -> bool:
    """Whether it is no aggregation. A GROUP BY that only makes rows distinct is none: IN and EXISTS don't need it."""
    keys = [key for group in query.group or () for keys in group.sets for key in keys]
    plain = all(group.kind == "key" for group in query.group or ())
    of_keys = query.group is None or all(item.expression in keys or _is_literal(item) for item in query.items)
    return plain and of_keys and query.having is None and not contains_aggregate(query)


def _is_literal(item: ast.SelectItem) -> bool:
    return isinstance(item.expression, ast.Literal)


class _Nested(Scope):
    """A scope inside another. Its own names hide those of the outer one."""

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


def _check_equal_windows(
    condition: ast.Expression | None, scope: Scope, rows: Relation, held: set[str], at: Place
) -> None:
    known = [name for name, role in BOUNDS if role in held]
    missing = [name for name in missing_equations(condition, scope, set(rows.names)) if name not in known]
    if missing:
        raise NotThereYet(
            f"a subquery without equal {' and '.join(missing)}",
            at,
            f"add {' AND '.join(f'l.{name} = r.{name}' for name in missing)} to its condition",
        )
