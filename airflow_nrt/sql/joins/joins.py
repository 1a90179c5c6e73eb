"""Joins: of rows in the same window, and all others."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.value_places import in_window
from airflow_nrt.model.windows import Window
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.from_clause.constant_rows import join_constants, joins_constants
from airflow_nrt.sql.joins.common_columns import CommonColumns
from airflow_nrt.sql.joins.folded_joins import folded
from airflow_nrt.sql.joins.joined_rows import kept_sides
from airflow_nrt.sql.logical.join import Join, WindowJoin
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Boundless, Findings
from airflow_nrt.sql.relations.join_sides import Named, bounds_of, missing_equations, side_columns, side_of
from airflow_nrt.sql.relations.relation import Relation, union_inputs
from airflow_nrt.sql.updating.interval_join import come_in_time
from airflow_nrt.sql.updating.updating_join import plan_join

_LEFT, _RIGHT = "_nrt_left", "_nrt_right"


def join(findings: Findings, node: ast.Join, left: Named, right: Named, demand: Demand) -> Relation:
    """A window join if the condition holds both window bounds equal, else a regular one. Raises SqlError.

    `demand` is that of the SELECT over the join.
    """
    sides = side_columns(*left), side_columns(*right)
    taken = {column.name for column in sides[0]} & {column.name for column in sides[1]}
    if taken:
        raise SqlError(f"both sides of the join have the name {min(taken)!r}: give each side an alias", node.at)
    common = CommonColumns.of(node, *sides)
    is_whole = demand.select is not None and demand.select.relation is node
    written, node = node, folded(common.on, left, right, demand.where)
    if node.condition is None:
        raise SqlError(f"a {node.kind} JOIN needs ON and a condition", node.at)
    if joins_constants(node, left[0], right[0]):
        joined = join_constants(findings, node, left, right)
        nodes = (joined.node if one.inputs else one.node for one, _ in (left, right))
        return common.shown(replace(joined, node=Join(next(nodes), next(nodes), written)))
    cause = _boundless(findings, node, left, right)
    if cause is not None:
        joined = plan_join(findings, node, (left[0], sides[0]), (right[0], sides[1]), demand, cause)
        tree = Join(left[0].node, right[0].node, written, operators=joined.inputs)
        return common.shown(replace(joined, node=tree))
    kept = kept_sides(findings, node, (left, right), demand, is_whole)
    tree = WindowJoin(kept.left[0].node, kept.right[0].node, written, kept.held)
    return common.shown(_window_join(kept.join, kept.left, kept.right, tree))


def _boundless(findings: Findings, node: ast.Join, left: Named, right: Named) -> Boundless | None:
    """Why rows can meet at any time: without windows, or in different ones. None if they meet in their window alone."""
    windows = [_window_of(left[0]), _window_of(right[0])]
    if None in windows:
        clause = (
            "write FROM TABLE(TUMBLE(TABLE …, DESCRIPTOR(…), size)) on both sides and "
            "ON l.window_start = r.window_start AND l.window_end = r.window_end"
        )
        near = _near(findings, left, right)
        return Boundless("a join without windows", clause, node.at, () if near is None else (near,))
    if windows[0] != windows[1]:
        return Boundless(f"a join of {windows[0]} with {windows[1]}", "use the same window on both sides", node.at)
    columns = side_columns(*left), side_columns(*right)
    scope = Scope((*columns[0], *columns[1]))
    missing = missing_equations(node.condition, scope, {column.name for column in columns[0]})
    if not missing:
        return None
    equal = " AND ".join(f"{left[1] or 'l'}.{name} = {right[1] or 'r'}.{name}" for name in missing)
    return Boundless(f"a join without equal {' and '.join(missing)}", f"add {equal} to ON", node.at)


def _near(findings: Findings, left: Named, right: Named) -> str | None:
    """The condition that would make it an interval join, None if it can't be one."""
    sides = [(name, one) for one, name in (left, right) if come_in_time(findings, one)]
    times = [(name, next((c.title for c in one.columns if c.rowtime), None)) for name, one in sides]
    if len(times) < 2 or None in (time for _, time in times):
        return None
    first, second = (f"{name}.{time}" if name else time for name, time in times)
    return f"add AND {first} BETWEEN {second} - INTERVAL '1' HOUR AND {second} + INTERVAL '1' HOUR to ON"


def _window_of(relation: Relation) -> Window | None:
    """The window of a relation that a window join can use. None if it selects no window bound."""
    if relation.is_changing or (relation.role("start") is None and relation.role("end") is None):
        return None
    return replace(relation.pending, only_updates=False) if relation.pending is not None else relation.window


def _window_join(node: ast.Join, left: Named, right: Named, tree: WindowJoin) -> Relation:
    assert node.condition is not None
    rows_left, rows_right = side_of(*left, _LEFT), side_of(*right, _RIGHT)
    scope = Scope((*rows_left.columns, *rows_right.columns))
    compiler = Compiler(scope, place=lambda: in_window((), f"{_LEFT}{WINDOW_END}"))
    condition = compiler.condition(node.condition, "ON")
    items = [quote(name) for name in (*rows_left.names, *rows_right.names)]
    columns = (
        *(_outer(column, node.kind in ("RIGHT", "FULL")) for column in rows_left.columns),
        *(_outer(column, node.kind in ("LEFT", "FULL")) for column in rows_right.columns),
    )
    hidden = bounds_of(left[0])
    items += [f"coalesce({_LEFT}{name}, {_RIGHT}{name}) AS {name}" for name in hidden]
    return Relation(
        f"(SELECT {', '.join(items)} FROM {rows_left.text} {node.kind} JOIN {rows_right.text} "
        f"ON {_LEFT}{WINDOW_END} = {_RIGHT}{WINDOW_END} AND {condition.sql})",
        columns,
        union_inputs([left[0].inputs, right[0].inputs]),
        tree,
        hidden=hidden,
        window=left[0].window,
        rowtime_type=left[0].rowtime_type,
    )


def _outer(column: ScopeColumn, is_optional: bool) -> ScopeColumn:
    if not is_optional:
        return column
    return replace(column, type=column.type.with_nullable(True), rowtime=False, role=None, of_window=False)
