"""Queries to relations: SELECT, UNION ALL, joins, views and windowing functions, over the tables of a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeGuard

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.known import nearest
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window
from airflow_nrt.sql.aggregates import distinct
from airflow_nrt.sql.aggregates.grouped_windows import OWN_NAMES, grouped_window
from airflow_nrt.sql.aggregates.grouping import PlanGroup, plan_aggregate
from airflow_nrt.sql.ddl.ddl import check_source, scope_columns, with_options
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.inserts.inserts import as_typed
from airflow_nrt.sql.inserts.timing import check_untimed
from airflow_nrt.sql.joins.joins import join
from airflow_nrt.sql.joins.scalar_subqueries import with_values
from airflow_nrt.sql.joins.semi_joins import tested
from airflow_nrt.sql.logical.folded import as_groups, as_operation, together
from airflow_nrt.sql.logical.named import Derived, View
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.scan import Scan
from airflow_nrt.sql.logical.selected import selected
from airflow_nrt.sql.logical.sort import Limit
from airflow_nrt.sql.logical.window import Window as WindowNode
from airflow_nrt.sql.over.named_windows import written_out
from airflow_nrt.sql.over.over_groups import above_groups
from airflow_nrt.sql.over.row_windows import has_row_windows, numbers_by_time, with_row_windows
from airflow_nrt.sql.over.updating_over import is_over_all_time, with_updating_over
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.limits import check_nodes, check_rows
from airflow_nrt.sql.plan_cache import Asked
from airflow_nrt.sql.relations.buffered_rows import finished
from airflow_nrt.sql.relations.column_demand import Around
from airflow_nrt.sql.relations.constants import ONE_ROW, rows_of
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.laterals import lateral
from airflow_nrt.sql.relations.names import PartlyPlanned, expressions_of, unknown_names
from airflow_nrt.sql.relations.ordering import unsorted
from airflow_nrt.sql.relations.partitions import partition_filter
from airflow_nrt.sql.relations.planned_queries import Watched
from airflow_nrt.sql.relations.projection import check_titles, expand, plan_projection
from airflow_nrt.sql.relations.relation import (
    WINDOW_COLUMNS,
    Relation,
    as_rows,
    raw_windows,
    timed_by_clock,
    timed_by_column,
    window_columns,
)
from airflow_nrt.sql.relations.rows_read import without_held
from airflow_nrt.sql.relations.tvf import read_windowing, window_of_group
from airflow_nrt.sql.relations.unions import united
from airflow_nrt.sql.updating.different_windows import as_one, keeps_apart
from airflow_nrt.sql.updating.limit import plan_limit
from airflow_nrt.sql.updating.set_operations import as_grouping
from airflow_nrt.sql.updating.sliding import check_sliding, is_over_time, recent_rows, sliding_of
from airflow_nrt.sql.updating.update_tables import changing_rows, newest_rows
from airflow_nrt.sql.updating.updating import plan_emitting, plan_group, unwindowed
from airflow_nrt.sql.updating.updating_rows import plan_ranking, ranks_all_time


@dataclass(frozen=True, eq=False)
class _Cte:
    """A query of WITH, and those that it can read: what stands in front of it, and around the WITH."""

    view: parsed.CreateView
    known: Ctes


Ctes = Mapping[str, "_Cte | None"]
"""What WITH names, around a query; None stands for a name that comes behind the one that is being read."""


class Queries:
    """Plans queries over the tables and views of a script.

    `found` gathers what they read. `broken` are tables and views whose declaration is wrong. `zone` is the session's.
    `written` are the tables that the script writes into, none where a query alone is asked.
    With `emits_again` windows in GROUP BY tell what each batch changes of them. What is `below` is planned already.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.views: dict[str, parsed.CreateView] = {}
        self.broken: set[str] = set()
        self.zone: str | None = None
        self.written: set[str] = set()
        self.found = Findings()
        self.emits_again = False
        self.below: Asked | None = None
        self._entered: list[str] = []
        self._around = Around()
        self._where: ast.Expression | None = None

    def query(self, node: ast.Query, ctes: Ctes) -> Relation:
        """A query that others read. Raises SqlError as `relations` does."""
        return as_one(self.found, self.relations(node, ctes))

    def relations(self, node: ast.Query, ctes: Ctes) -> list[Relation]:
        """The relations whose rows a query gives: several, if it is a UNION ALL of different windows."""
        around, self._around = self._around, Around()
        if self.below is not None and node is self.below.query:
            return list(self.below.relations)
        timing, planned = self.found.timing, self.found.queries
        known = planned.find(node, ctes, timing, around)
        if known is None:
            # A long chain of views, or of UNION ALL, goes down the stack here.
            watched = Watched(around)
            if isinstance(node, ast.Select) and not _is_cut(node):
                found = self._select(node, _with_all(node.ctes, ctes, node.at), watched)
            elif not _is_union_all(node):
                found = self._planned(node, ctes, watched)
            else:
                scope = _with_all(node.ctes, ctes, node.at)
                problems = Problems()
                sides = [problems.attempt(partial(self.relations, side, scope)) for side in (node.left, node.right)]
                if None in sides:
                    problems.stop()
                left, right = (side or [] for side in sides)
                found = united(self.found, node, left, right)
            for one in found:
                check_rows(one.text, node.at)
            known = tuple(found)
            planned.add(node, ctes, timing, watched, known)
        return list(known)

    def _planned(self, node: ast.Query, ctes: Ctes, around: Around) -> list[Relation]:
        """The relations of what is neither a SELECT nor a UNION ALL, or stands below a LIMIT."""
        if isinstance(node, ast.Values):
            return [rows_of(node)]
        if node.limit is not None or node.offset is not None:
            numbered, select = plan_limit(self.found, node, lambda rest: self.query(rest, ctes))
            limited = plan_projection(self.found, select, numbered, None, partial(self.relation, ctes={}))
            limit = Limit(numbered.node, node.order, node.limit, node.offset, operators=numbered.inputs)
            return [replace(limited, node=limit)]
        if node.order:
            raise NotThereYet("ORDER BY without LIMIT inside another query", node.at)
        assert isinstance(node, ast.SetOperation)
        scope = _with_all(node.ctes, ctes, node.at)
        names = self.query(node.left, scope).names
        grouped = self._select(as_grouping(node, names), scope, around)
        return [replace(one, node=as_operation(one.node, node)) for one in grouped]

    def _select(self, node: ast.Select, scope: Ctes, around: Around) -> list[Relation]:
        written = distinct.above_all(node)
        planned = above_groups(written)
        found = self._each(planned, scope, around)
        if planned is written:
            return found
        return [replace(one, node=as_groups(one.node, planned, written)) for one in found]

    def _each(self, node: ast.Select, scope: Ctes, around: Around) -> list[Relation]:
        """The relations of a SELECT, one for each of its FROM."""
        if node.relation is None:
            return [self._selected(node, ONE_ROW, None, scope, around)]
        self._around, self._where = Around.of(node, around), node.where
        try:
            relations, alias = self._apart(node.relation, scope)
        except PartlyPlanned as wrong:
            problems = Problems([*wrong.problems, *unknown_names(wrong.scope, expressions_of(node))])
            problems.stop()
        finally:
            self._around, self._where = Around(), None
        if len(relations) > 1 and keeps_apart(node):
            found = [self._selected(node, relation, alias, scope, around) for relation in relations]
            tree = together([one.node for one in found])
            return [replace(one, node=tree) for one in found]
        return [self._selected(node, as_one(self.found, relations), alias, scope, around)]

    def _selected(
        self,
        node: ast.Select,
        relation: Relation,
        alias: str | None,
        scope: Ctes,
        around: Around,
    ) -> Relation:
        node = written_out(node)
        written = unsorted(node)
        check_sliding(node, relation, alias)
        node = without_held(node, relation.node)
        relation_of = partial(self.relation, ctes=scope)
        node, relation, alias = with_values(self.found, node, relation, alias, relation_of)
        node, relation = tested(self.found, node, relation, alias, relation_of)
        if has_row_windows(node) or numbers_by_time(node, relation, alias, around):
            relation = unwindowed(self.found, relation) if relation.is_changing else relation
            of_rows = relation.pending is None and relation.window is None
            if of_rows and is_over_all_time(node, relation, alias):
                node, relation = with_updating_over(self.found, node, relation, alias)
            else:
                node, relation = with_row_windows(self.found, node, relation, alias, self.zone, around)
        if node.distinct:
            node = distinct.as_grouping(node, relation, alias)
        grouped = grouped_window(node)
        if grouped is not None:
            node = grouped.select
            if any(isinstance(item.expression, ast.Star) for item in node.items):
                node = replace(node, items=tuple(expand(node.items, relation, alias)))
            # Its sessions are those of each group key, computed ones too.
            windowing = (window_of_group(grouped.call), None if grouped.call.name == "SESSION" else ())
            relation = self._windowed(relation, alias, grouped.timecol, windowing, grouped.call.at, OWN_NAMES)
            grouped.check_times(by_clock=bool(relation.clock))
        kept: tuple[str, ...] = ()
        if node.group is not None or contains_aggregate(node):
            plan_one: PlanGroup = plan_group
            if grouped is not None and self.emits_again:
                plan_one = partial(plan_emitting, at=grouped.call.at)
            relation = plan_aggregate(self.found, node, relation, alias, plan_one)
            kept = relation.inputs
        elif ranks_all_time(node, relation, alias):
            relation = plan_ranking(self.found, node, relation, alias, around)
            kept = relation.inputs
        else:
            relation = plan_projection(self.found, node, relation, alias, relation_of, around)
        return replace(relation, node=selected(written, relation.node, kept))

    def relation(self, node: ast.Relation, ctes: Ctes) -> tuple[Relation, str | None]:
        """A relation and the name that its columns can be qualified with."""
        relations, alias = self._apart(node, ctes)
        return as_one(self.found, relations), alias

    def _apart(self, node: ast.Relation, ctes: Ctes) -> tuple[list[Relation], str | None]:
        """As `relation`, with rows of different windows apart."""
        match node:
            case ast.TableName():
                return self._named(node, ctes), node.alias or node.name
            case ast.Derived():
                rows = [_renamed(one, node.columns, node.at) for one in self.relations(node.query, ctes)]
                return [replace(one, node=_derived(one.node, node)) for one in rows], node.alias
            case ast.FunctionTable():
                return [self._windowing(node.call, node.alias, ctes)], node.alias
            case ast.Lateral():
                raise NotThereYet("LATERAL and UNNEST without a table in front of them", node.at)
            case ast.Join():
                return [self._joined(node, ctes)], None

    def _joined(self, node: ast.Join, ctes: Ctes) -> Relation:
        around, self._around, self._where = self._around, Around(), None
        problems = Problems()
        filtered = around if node.kind in ("INNER", "CROSS", "LEFT") else Around()
        left = problems.attempt(partial(self._side, node.left, filtered, ctes))
        if isinstance(node.right, ast.Lateral):
            if left is None:
                problems.stop()
            return lateral(self.found, node, node.right, left)
        filtered = around if node.kind in ("INNER", "CROSS", "RIGHT") else Around()
        right = problems.attempt(partial(self._side, node.right, filtered, ctes))
        if left is None or right is None:
            problems.stop()
        joined = problems.attempt(partial(join, self.found, node, left, right, around))
        if joined is not None:
            check_rows(joined.text, node.at)
        if joined is None:
            raise PartlyPlanned(problems.found, (*side_columns(*left), *side_columns(*right)))
        return joined

    def _side(self, node: ast.Relation, around: Around, ctes: Ctes) -> Named:
        """One side of a join. `around` is what filters all that is joined, where it filters this side, too."""
        self._around = around if isinstance(node, ast.Join) else Around()
        return self.relation(node, ctes)

    def _named(self, node: ast.TableName, ctes: Ctes) -> list[Relation]:
        cte = ctes.get(node.name)
        if node.options and (cte is not None or node.name in self.views):
            raise SqlError(f"{node.name!r} is no table, so it takes no OPTIONS", node.at)
        if cte is not None:
            return [_viewed(one, cte.view, node) for one in self._inside(cte.view, cte.known, node.at)]
        if node.name in self.broken:
            # What is wrong with it was told where it is declared.
            raise SqlErrors(())
        if node.name in self.views:
            view = self.views[node.name]
            return [_viewed(one, view, node) for one in self.view(view, node)]
        if node.name not in self.tables:
            if node.name in ctes:
                raise SqlError(
                    f"WITH has not named {node.name!r} yet: put it in front of what reads it (no query reads itself)",
                    node.at,
                )
            hint = nearest(node.name, [*self.tables, *self.views, *ctes])
            raise SqlError(f"there is no table or view {node.name!r}{hint}", node.at)
        return [self._scan(node)]

    def view(self, view: parsed.CreateView, node: ast.TableName) -> list[Relation]:
        if view.name in self._entered:
            raise SqlError(f"view {view.name!r} reads itself", node.at)
        self._entered.append(view.name)
        try:
            return self._inside(view, {}, node.at)
        finally:
            self._entered.pop()

    def _inside(self, view: parsed.CreateView, ctes: Ctes, at: Place) -> list[Relation]:
        if view.columns:
            # Whoever reads the view asks for other names than those inside.
            self._around = Around()
        return [_renamed(one, view.columns, at) for one in self.relations(view.query, ctes)]

    def _scan(self, node: ast.TableName) -> Relation:
        table = with_options(self.tables[node.name], dict(node.options))
        check_source(table, node.at)
        check_untimed(self.tables[node.name], node, self.written)
        if not self.found.note_source(table):
            raise NotThereYet(f"reading {node.name!r} twice with different OPTIONS", node.at)
        scan = Scan(node.name, node.alias)
        rows = Relation(quote(node.name), scope_columns(table), (node.name,), scan, scan=node.name)
        self.found.note_partitions(table, partition_filter(table, node.alias or node.name, self._where))
        sliding = sliding_of(self._around.where)
        if sliding is not None and is_over_time(sliding, table, node.alias or node.name):
            rows = recent_rows(self.found, rows, table, sliding, self._around)
        if table.is_changelog:
            return changing_rows(self.found, rows, table, self._around, node.at)
        return newest_rows(self.found, rows, table, self._around, node.at) if table.primary_key else rows

    def _windowing(self, call: ast.Call, title: str | None, ctes: Ctes) -> Relation:
        try:
            windowing = read_windowing(call)
        except SqlError as wrong:
            raise self._partly_windowed(call, ctes, wrong) from None
        if windowing.window.bounded_by_rows:
            # Rows that nobody asks for are members of sessions, too.
            self._where = None
        relation, alias = self.relation(windowing.relation, ctes)
        scope = Scope(relation.columns, alias)
        partition = tuple(scope.find(key).name for key in windowing.partition)
        rows = self._windowed(relation, alias, windowing.timecol, (windowing.window, partition), call.at)
        node = WindowNode(rows.node, windowing.window, windowing.timecol, windowing.partition, title)
        return replace(rows, node=node)

    def _partly_windowed(self, call: ast.Call, ctes: Ctes, wrong: SqlError) -> SqlErrors:
        """A windowing function whose arguments are wrong: its columns are known by the table that it is given."""
        values = (one.value if isinstance(one, ast.Named) else one for one in call.arguments)
        data = next((one for one in values if isinstance(one, ast.TableArgument)), None)
        if data is None:
            return SqlErrors([wrong])
        problems = Problems()
        found = problems.attempt(partial(self.relation, data.relation, ctes))
        if found is None:
            return SqlErrors([wrong, *problems.found])
        relation, alias = found
        return PartlyPlanned(
            [wrong], (*relation.columns, *window_columns(DataType("TIMESTAMP"), WINDOW_COLUMNS)), alias
        )

    def _windowed(
        self,
        relation: Relation,
        alias: str | None,
        timecol: ast.Name,
        windowing: tuple[Window, tuple[str, ...] | None],
        at: Place,
        names: Mapping[str, str] = WINDOW_COLUMNS,
    ) -> Relation:
        """The rows with a window of this time column still to be computed, whose columns have these names by role."""
        window, partition = windowing
        column = Scope(relation.columns, alias).time_column(timecol)
        if relation.is_changing and not column.rowtime:
            raise NotThereYet("a window over rows that change by anything but the rowtime of a table", at)
        if not column.rowtime and not column.proctime:
            raise SqlError(_no_time_attribute(column, relation.scan), timecol.at)
        relation = finished(self.found, relation)
        if relation.window is not None:
            relation = as_rows(relation)
        if relation.is_changing:
            relation = timed_by_column(relation, column, self.zone)
        if column.proctime:
            self.found.note_columns(relation, [as_typed(column)])
            relation = timed_by_clock(relation, self.zone, at)
        for name in names.values():
            if name in relation.names:
                raise SqlError(f"column {name!r} of the input is ambiguous with the window's: rename it", at)
        columns = tuple(
            replace(c, rowtime=False, rowtime_path=(), proctime=False, role=None, of_window=False)
            for c in relation.columns
        )
        return replace(
            relation,
            columns=columns + window_columns(column.type, names),
            pending=replace(window, zone=self.zone) if column.type.name == "TIMESTAMP_LTZ" else window,
            partition=partition,
            at=at,
            rowtime_type=column.type,
            unique=(),
        )

    def finished(self, relation: Relation) -> Relation:
        """A relation that can be written: a windowing function nobody aggregated becomes its raw windows."""
        self.found.note_all_columns(relation)
        if relation.has_sessions:
            return finished(self.found, relation)
        return raw_windows(relation) if relation.pending is not None else relation


def _is_cut(node: ast.Select | ast.SetOperation) -> bool:
    """Whether a LIMIT or an ORDER BY stands above it."""
    return node.limit is not None or node.offset is not None or bool(node.order)


def _is_union_all(node: ast.Query) -> TypeGuard[ast.SetOperation]:
    """Whether it is nothing else."""
    return isinstance(node, ast.SetOperation) and not _is_cut(node) and node.operator == "UNION" and node.all


def _with_all(named: Sequence[tuple[str, tuple[str, ...], ast.Query]], around: Ctes, at: Place) -> Ctes:
    """What a WITH names, and what is known around it."""
    check_nodes(len(named), at)
    scope: dict[str, _Cte | None] = {**dict.fromkeys(name for name, _, _ in named), **around}
    for name, columns, query in named:
        scope[name] = _Cte(parsed.CreateView(name, columns, query, False, at), dict(scope))
    return scope


def _derived(node: Node, derived: ast.Derived) -> Derived:
    return Derived(node, derived.query, derived.alias, derived.columns)


def _viewed(relation: Relation, view: parsed.CreateView, name: ast.TableName) -> Relation:
    """The rows of a view, as those of what reads it by this name."""
    return replace(relation, node=View(relation.node, view.query, name.name, name.alias or name.name))


def _renamed(relation: Relation, names: tuple[str, ...], at: Place) -> Relation:
    """The relation with a column list behind its alias or in front of AS."""
    if names in ((), tuple(column.title for column in relation.columns)):
        check_titles(relation.columns, at)
        return relation
    if len(names) != len(relation.columns):
        raise SqlError(f"the column list has {len(names)} names, the query {len(relation.columns)} columns", at)
    renames = dict(zip(relation.names, names))
    items = [
        f"{quote(column.name)} AS {quote(renames[column.name])}"
        for column in relation.columns
        if not relation.is_window_column(column.name)
    ]
    return replace(
        relation,
        text=f"(SELECT {', '.join([*items, *relation.hidden])} FROM {relation.text})",
        columns=tuple(replace(column, name=name) for column, name in zip(relation.columns, names)),
        partition=relation.partition and tuple(renames[column] for column in relation.partition),
        keys=tuple((renames[column], key) for column, key in relation.keys),
        unique=tuple(tuple(renames[column] for column in key) for key in relation.unique),
        scan=None,
    )


def _no_time_attribute(column: ScopeColumn, scan: str | None) -> str:
    text = f"The window function requires the timecol is a time attribute type, but is {column.type.flink}."
    if not column.type.is_timestamp:
        return text
    if scan is not None:
        return f"{text} Add WATERMARK FOR {column.name} AS {column.name} - INTERVAL '5' SECOND to table {scan}."
    return (
        f"{text} It was computed, so that no watermark says how far it has come: pass the time attribute on "
        "as it is, or that of a window (window_time; in a program col('w').rowtime)."
    )
