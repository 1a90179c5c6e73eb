"""Window joins: rows of two inputs meet in the same window. Also the semi and anti joins of IN and EXISTS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from airflow_nrt.report.plan import WINDOW_END
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.types import BOOLEAN
from airflow_nrt.report.window_columns import bounds
from airflow_nrt.sql import ast
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions import Compiler
from airflow_nrt.sql.relation import Relation, union_inputs
from airflow_nrt.sql.scope import Scope, ScopeColumn
from airflow_nrt.sql.typed import Typed
from airflow_nrt.sql.walk import conjuncts

Named = tuple[Relation, "str | None"]
_KINDS = ("INNER", "LEFT", "RIGHT", "FULL")
_LEFT, _RIGHT, _INNER = "_nrt_left", "_nrt_right", "_nrt_inner"


def join(node: ast.Join, left: Named, right: Named) -> Relation:
    """The join of two relations of finished windows. Raises SqlError if they can't meet window by window."""
    if node.using:
        raise NotThereYet("JOIN … USING", node.at, "write the condition behind ON")
    if node.kind not in _KINDS or node.condition is None:
        raise NotThereYet(f"a {node.kind} join without ON", node.at)
    _check_windows(left[0], right[0], node.at)
    rows_left, rows_right = _side(*left, _LEFT), _side(*right, _RIGHT)
    taken = set(rows_left.names) & set(rows_right.names)
    if taken:
        raise SqlError(f"both sides of the join have the name {min(taken)!r}: give each side an alias", node.at)
    scope = Scope((*rows_left.columns, *rows_right.columns))
    _check_equal_windows(node.condition, scope, set(rows_left.names), node.at)
    condition = Compiler(scope).condition(node.condition, "ON")
    items = [quote(name) for name in (*rows_left.names, *rows_right.names)]
    columns = (
        *(_outer(column, node.kind in ("RIGHT", "FULL")) for column in rows_left.columns),
        *(_outer(column, node.kind in ("LEFT", "FULL")) for column in rows_right.columns),
    )
    hidden = _bounds(left[0])
    items += [f"coalesce({_LEFT}{name}, {_RIGHT}{name}) AS {name}" for name in hidden]
    return Relation(
        f"(SELECT {', '.join(items)} FROM {rows_left.text} {node.kind} JOIN {rows_right.text} "
        f"ON {_LEFT}{WINDOW_END} = {_RIGHT}{WINDOW_END} AND {condition.sql})",
        columns,
        union_inputs([left[0].inputs, right[0].inputs]),
        hidden=hidden,
        window=left[0].window,
        rowtime_type=left[0].rowtime_type,
    )


def _bounds(relation: Relation) -> tuple[str, ...]:
    assert relation.window is not None
    return bounds(relation.window)


def _side(relation: Relation, alias: str | None, prefix: str) -> Relation:
    """One side under names that its alias keeps apart from the other side's, the window's bounds with a prefix."""
    columns = []
    for column in relation.columns:
        table = column.table or alias
        columns.append(replace(column, name=f"{table or ''}.{column.title}", table=table, shown=column.title))
    items = [f"{quote(old.name)} AS {quote(new.name)}" for old, new in zip(relation.columns, columns)]
    items += [f"{name} AS {prefix}{name}" for name in _bounds(relation)]
    text = f"(SELECT {', '.join(items)} FROM {relation.text})"
    return replace(relation, text=text, columns=tuple(columns), scan=None)


def _outer(column: ScopeColumn, is_optional: bool) -> ScopeColumn:
    if not is_optional:
        return column
    return replace(column, type=column.type.with_nullable(True), rowtime=False, role=None, of_window=False)


def _check_windows(left: Relation, right: Relation, at: Place) -> None:
    if left.window is None or right.window is None:
        raise NotThereYet("a join of tables without windows", at, "join windows: TABLE(TUMBLE(…)) on both sides")
    if left.window != right.window:
        raise NotThereYet(f"a join of {left.window} with {right.window}", at, "use the same window on both sides")


def _check_equal_windows(condition: ast.Expression | None, scope: Scope, left: set[str], at: Place) -> None:
    """Both window bounds must be equal, as in Flink's window join."""
    equal: set[str | None] = set()
    for part in conjuncts(condition) if condition is not None else ():
        if isinstance(part, ast.Binary) and part.operator == "=":
            sides = [scope.find(name) for name in (part.left, part.right) if isinstance(name, ast.Name)]
            if len(sides) == 2 and (sides[0].name in left) != (sides[1].name in left):
                equal.update({sides[0].role} if sides[0].role == sides[1].role else ())
    missing = [name for name, role in (("window_start", "start"), ("window_end", "end")) if role not in equal]
    if missing:
        raise NotThereYet(
            f"a join without equal {' and '.join(missing)}",
            at,
            f"add {' AND '.join(f'l.{name} = r.{name}' for name in missing)} to its condition",
        )


# ---------------------------------------------------------------------------------------------------- IN and EXISTS


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
        if not isinstance(query, ast.Select) or query.relation is None or query.group or query.having or query.ctes:
            raise NotThereYet("a subquery with more than SELECT, FROM and WHERE", at)
        relation, alias = self.relation_of(query.relation)
        _check_windows(self.outer, relation, at)
        rows = _side(relation, alias or "", _INNER)
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


class _Nested(Scope):
    """A scope inside another: its own names come first."""

    def __init__(self, columns: tuple[ScopeColumn, ...], outer: Scope) -> None:
        super().__init__(columns)
        self.outer = outer

    def find(self, name: ast.Name) -> ScopeColumn:
        return super().find(name) if self.has(name) else self.outer.find(name)

    def resolve(self, name: ast.Name) -> Typed:
        return super().resolve(name) if self.has(name) else self.outer.resolve(name)
