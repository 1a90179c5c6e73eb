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
from airflow_nrt.sql.ddl.ddl import check_dimension, check_source, scope_columns, with_options
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.expressions.aggregates import contains_aggregate
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.inserts.timing import check_untimed
from airflow_nrt.sql.joins.joins import join
from airflow_nrt.sql.joins.lookup_join import lookup_join
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
from airflow_nrt.sql.plan_cache import CachedPlan
from airflow_nrt.sql.relations.buffered_rows import finished
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.constants import ONE_ROW, rows_of
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.laterals import lateral
from airflow_nrt.sql.relations.names import PartlyPlanned, expressions_of, unknown_names
from airflow_nrt.sql.relations.ordering import unsorted
from airflow_nrt.sql.relations.partitions import partition_filter
from airflow_nrt.sql.relations.planned_queries import RecordedDemand
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
    """A query of WITH, and those that it can read: the ones before it, and those of outer WITHs."""

    view: parsed.CreateView
    known: Ctes


Ctes = Mapping[str, "_Cte | None"]
"""The queries that WITH names, for a query. None stands for a name that comes after the one that is being planned."""


class Queries:
    """Plans queries over the tables and views of a script.

    `findings` collects what they read. `broken` are tables and views whose declaration is wrong.
    `zone` is the session's. `written` are the tables that the script writes into, none if only a query is planned.
    With `emits_again` a window in GROUP BY emits what each batch changes of it. `below` is a plan to start from.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.views: dict[str, parsed.CreateView] = {}
        self.broken: set[str] = set()
        self.zone: str | None = None
        self.written: set[str] = set()
        self.findings = Findings()
        self.emits_again = False
        self.below: CachedPlan | None = None
        self._entered: list[str] = []
        self._demand = Demand()
        self._where: ast.Expression | None = None

    def query(self, node: ast.Query, ctes: Ctes) -> Relation:
        """The relation of a query that others read. Raises SqlError as `relations` does."""
        return as_one(self.findings, self.relations(node, ctes))

    def relations(self, node: ast.Query, ctes: Ctes) -> list[Relation]:
        """The relations whose rows a query gives: several, if it is a UNION ALL of different windows."""
        demand, self._demand = self._demand, Demand()
        if self.below is not None and node is self.below.query:
            return list(self.below.relations)
        timing, planned = self.findings.timing, self.findings.queries
        known = planned.find(node, ctes, timing, demand)
        if known is None:
            # A long chain of views, or of UNION ALL, goes down the stack here.
            recorded = RecordedDemand(demand)
            if isinstance(node, ast.Select) and not _is_cut(node):
                relations = self._select(node, _with_all(node.ctes, ctes, node.at), recorded)
            elif not _is_union_all(node):
                relations = self._planned(node, ctes, recorded)
            else:
                scope = _with_all(node.ctes, ctes, node.at)
                problems = Problems()
                sides = [problems.attempt(partial(self.relations, side, scope)) for side in (node.left, node.right)]
                if None in sides:
                    problems.stop()
                left, right = (side or [] for side in sides)
                relations = united(self.findings, node, left, right)
            for one in relations:
                check_rows(one.text, node.at)
            known = tuple(relations)
            planned.add(node, ctes, timing, recorded, known)
        return list(known)

    def _planned(self, node: ast.Query, ctes: Ctes, demand: Demand) -> list[Relation]:
        """The relations of a query that is neither a SELECT nor a UNION ALL, or that has a LIMIT."""
        if isinstance(node, ast.Values):
            return [rows_of(node)]
        if node.limit is not None or node.offset is not None:
            numbered, select = plan_limit(self.findings, node, lambda rest: self.query(rest, ctes))
            limited = plan_projection(self.findings, select, numbered, None, partial(self.relation, ctes={}))
            limit = Limit(numbered.node, node.order, node.limit, node.offset, operators=numbered.inputs)
            return [replace(limited, node=limit)]
        if node.order:
            raise NotThereYet("ORDER BY without LIMIT inside another query", node.at)
        assert isinstance(node, ast.SetOperation)
        scope = _with_all(node.ctes, ctes, node.at)
        names = self.query(node.left, scope).names
        grouped = self._select(as_grouping(node, names), scope, demand)
        return [replace(one, node=as_operation(one.node, node)) for one in grouped]

    def _select(self, node: ast.Select, scope: Ctes, demand: Demand) -> list[Relation]:
        written = distinct.above_all(node)
        planned = above_groups(written)
        relations = self._each(planned, scope, demand)
        if planned is written:
            return relations
        return [replace(one, node=as_groups(one.node, planned, written)) for one in relations]

    def _each(self, node: ast.Select, scope: Ctes, demand: Demand) -> list[Relation]:
        """The relations of a SELECT, one for each of its FROM."""
        if node.relation is None:
            return [self._selected(node, ONE_ROW, None, scope, demand)]
        self._demand, self._where = Demand.of(node, demand), node.where
        try:
            relations, alias = self._apart(node.relation, scope)
        except PartlyPlanned as wrong:
            problems = Problems([*wrong.problems, *unknown_names(wrong.scope, expressions_of(node))])
            problems.stop()
        finally:
            self._demand, self._where = Demand(), None
        if len(relations) > 1 and keeps_apart(node):
            selected_rows = [self._selected(node, relation, alias, scope, demand) for relation in relations]
            tree = together([one.node for one in selected_rows])
            return [replace(one, node=tree) for one in selected_rows]
        return [self._selected(node, as_one(self.findings, relations), alias, scope, demand)]

    def _selected(
        self,
        node: ast.Select,
        relation: Relation,
        alias: str | None,
        scope: Ctes,
        demand: Demand,
    ) -> Relation:
        node = written_out(node)
        written = unsorted(node)
        check_sliding(node, relation, alias)
        node = without_held(node, relation.node)
        relation_of = partial(self.relation, ctes=scope)
        node, relation, alias = with_values(self.findings, node, relation, alias, relation_of)
        node, relation = tested(self.findings, node, relation, alias, relation_of)
        if has_row_windows(node) or numbers_by_time(node, relation, alias, demand):
            relation = unwindowed(self.findings, relation) if relation.is_changing else relation
            of_rows = relation.pending is None and relation.window is None
            if of_rows and is_over_all_time(node, relation, alias):
                node, relation = with_updating_over(self.findings, node, relation, alias)
            else:
                node, relation = with_row_windows(self.findings, node, relation, alias, self.zone, demand)
        if node.distinct:
            node = distinct.as_grouping(node, relation, alias)
        grouped = grouped_window(node)
        if grouped is not None:
            node = grouped.select
            if any(isinstance(item.expression, ast.Star) for item in node.items):
                node = replace(node, items=tuple(expand(node.items, relation, alias)))
            # Each group key has sessions of its own, also a computed key.
            window = window_of_group(grouped.call)
            windowing = (window, None if window.bounded_by_rows else ())
            relation = self._windowed(relation, alias, grouped.timecol, windowing, grouped.call.at, OWN_NAMES)
            grouped.check_times(by_clock=bool(relation.clock))
        kept: tuple[str, ...] = ()
        if node.group is not None or contains_aggregate(node):
            plan_one: PlanGroup = plan_group
            if grouped is not None and self.emits_again:
                plan_one = partial(plan_emitting, at=grouped.call.at)
            relation = plan_aggregate(self.findings, node, relation, alias, plan_one)
            kept = relation.inputs
        elif ranks_all_time(node, relation, alias):
            relation = plan_ranking(self.findings, node, relation, alias, demand)
            kept = relation.inputs
        else:
            relation = plan_projection(self.findings, node, relation, alias, relation_of, demand)
        return replace(relation, node=selected(written, relation.node, kept))

    def relation(self, node: ast.Relation, ctes: Ctes) -> tuple[Relation, str | None]:
        """A relation and the name that its columns can be qualified with."""
        relations, alias = self._apart(node, ctes)
        return as_one(self.findings, relations), alias

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
            case ast.TableVersion():
                raise SqlError(
                    "FOR SYSTEM_TIME AS OF belongs to the right side of a join: FROM o JOIN d FOR SYSTEM_TIME AS OF "
                    "o.proctime ON o.key = d.key",
                    node.at,
                )
            case ast.Join():
                return [self._joined(node, ctes)], None

    def _joined(self, node: ast.Join, ctes: Ctes) -> Relation:
        demand, self._demand, self._where = self._demand, Demand(), None
        problems = Problems()
        filtered = demand if node.kind in ("INNER", "CROSS", "LEFT") else Demand()
        left = problems.attempt(partial(self._side, node.left, filtered, ctes))
        if isinstance(node.right, ast.Lateral):
            if left is None:
                problems.stop()
            return lateral(self.findings, node, node.right, left)
        if isinstance(node.right, ast.TableVersion):
            table = problems.attempt(partial(self._dimension, node.right))
            if left is None or table is None:
                problems.stop()
            looked_up = lookup_join(self.findings, node, node.right, left, table, demand)
            check_rows(looked_up.text, node.at)
            return looked_up
        filtered = demand if node.kind in ("INNER", "CROSS", "RIGHT") else Demand()
        right = problems.attempt(partial(self._side, node.right, filtered, ctes))
        if left is None or right is None:
            problems.stop()
        joined = problems.attempt(partial(join, self.findings, node, left, right, demand))
        if joined is not None:
            check_rows(joined.text, node.at)
        if joined is None:
            raise PartlyPlanned(problems.errors, (*side_columns(*left), *side_columns(*right)))
        return joined

    def _dimension(self, node: ast.TableVersion) -> Table:
        """The table that a lookup join reads. Raises SqlError, or SqlErrors."""
        if node.name in self.views:
            raise SqlError(f"FOR SYSTEM_TIME AS OF wants a table, and {node.name!r} is a view", node.at)
        if node.name in self.broken:
            raise SqlErrors(())
        if node.name not in self.tables:
            raise SqlError(f"there is no table {node.name!r}{nearest(node.name, self.tables)}", node.at)
        table = with_options(self.tables[node.name], dict(node.options))
        check_dimension(table, node.at)
        return table

    def _side(self, node: ast.Relation, demand: Demand, ctes: Ctes) -> Named:
        """One side of a join. `demand` is the SELECT over the join, if its WHERE may filter this side."""
        self._demand = demand if isinstance(node, ast.Join) else Demand()
        return self.relation(node, ctes)

    def _named(self, node: ast.TableName, ctes: Ctes) -> list[Relation]:
        cte = ctes.get(node.name)
        if node.options and (cte is not None or node.name in self.views):
            raise SqlError(f"{node.name!r} is no table, so it takes no OPTIONS", node.at)
        if cte is not None:
            return [_viewed(one, cte.view, node) for one in self._inside(cte.view, cte.known, node.at)]
        if node.name in self.broken:
            # Its declaration reported the error.
            raise SqlErrors(())
        if node.name in self.views:
            view = self.views[node.name]
            return [_viewed(one, view, node) for one in self.view(view, node)]
        if node.name not in self.tables:
            if node.name in ctes:
                raise SqlError(
                    f"WITH has not named {node.name!r} yet: put it before the query that reads it (no query reads "
                    "itself)",
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
            # A SELECT over the view names its columns, not those inside.
            self._demand = Demand()
        return [_renamed(one, view.columns, at) for one in self.relations(view.query, ctes)]

    def _scan(self, node: ast.TableName) -> Relation:
        table = with_options(self.tables[node.name], dict(node.options))
        check_source(table, node.at)
        check_untimed(self.tables[node.name], node, self.written)
        if not self.findings.note_source(table):
            raise NotThereYet(f"reading {node.name!r} twice with different OPTIONS", node.at)
        scan = Scan(node.name, node.alias)
        rows = Relation(quote(node.name), scope_columns(table), (node.name,), scan, scan=node.name)
        self.findings.note_partitions(table, partition_filter(table, node.alias or node.name, self._where))
        sliding = sliding_of(self._demand.where)
        if sliding is not None and is_over_time(sliding, table, node.alias or node.name):
            rows = recent_rows(self.findings, rows, table, sliding, self._demand)
        if table.is_changelog:
            return changing_rows(self.findings, rows, table, self._demand, node.at)
        return newest_rows(self.findings, rows, table, self._demand, node.at) if table.primary_key else rows

    def _windowing(self, call: ast.Call, title: str | None, ctes: Ctes) -> Relation:
        try:
            windowing = read_windowing(call)
        except SqlError as wrong:
            raise self._partly_windowed(call, ctes, wrong) from None
        if windowing.window.bounded_by_rows:
            # Rows that WHERE leaves out are members of sessions, too.
            self._where = None
        relation, alias = self.relation(windowing.relation, ctes)
        scope = Scope(relation.columns, alias)
        partition = tuple(scope.find(key).name for key in windowing.partition)
        rows = self._windowed(relation, alias, windowing.timecol, (windowing.window, partition), call.at)
        node = WindowNode(rows.node, windowing.window, windowing.timecol, windowing.partition, title)
        return replace(rows, node=node)

    def _partly_windowed(self, call: ast.Call, ctes: Ctes, wrong: SqlError) -> SqlErrors:
        """The error of a windowing function whose arguments are wrong, with its columns if its table is right."""
        values = (one.value if isinstance(one, ast.Named) else one for one in call.arguments)
        data = next((one for one in values if isinstance(one, ast.TableArgument)), None)
        if data is None:
            return SqlErrors([wrong])
        problems = Problems()
        input_rows = problems.attempt(partial(self.relation, data.relation, ctes))
        if input_rows is None:
            return SqlErrors([wrong, *problems.errors])
        relation, alias = input_rows
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
        """The rows with a pending window over this time column. `names` are the names of its columns, by role."""
        window, partition = windowing
        column = Scope(relation.columns, alias).time_column(timecol)
        if relation.is_changing and not column.rowtime:
            raise NotThereYet("a window over rows that change by anything but the rowtime of a table", at)
        if not column.rowtime and not column.proctime:
            raise SqlError(_no_time_attribute(column, relation.scan), timecol.at)
        relation = finished(self.findings, relation)
        if relation.window is not None:
            relation = as_rows(relation)
        if relation.is_changing:
            relation = timed_by_column(relation, column, self.zone)
        if column.proctime:
            self.findings.note_columns(relation, [column.typed])
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
        """A relation that can be written: a windowing function without an aggregation becomes its raw windows."""
        self.findings.note_all_columns(relation)
        if relation.has_sessions:
            return finished(self.findings, relation)
        return raw_windows(relation) if relation.pending is not None else relation


def _is_cut(node: ast.Select | ast.SetOperation) -> bool:
    """Whether it has a LIMIT, an OFFSET or an ORDER BY."""
    return node.limit is not None or node.offset is not None or bool(node.order)


def _is_union_all(node: ast.Query) -> TypeGuard[ast.SetOperation]:
    """Whether it is a UNION ALL without LIMIT or ORDER BY."""
    return isinstance(node, ast.SetOperation) and not _is_cut(node) and node.operator == "UNION" and node.all


def _with_all(named: Sequence[tuple[str, tuple[str, ...], ast.Query]], outer: Ctes, at: Place) -> Ctes:
    """The queries that a WITH names, and those of the `outer` ones."""
    check_nodes(len(named), at)
    scope: dict[str, _Cte | None] = {**dict.fromkeys(name for name, _, _ in named), **outer}
    for name, columns, query in named:
        scope[name] = _Cte(parsed.CreateView(name, columns, query, False, at), dict(scope))
    return scope


def _derived(node: Node, derived: ast.Derived) -> Derived:
    return Derived(node, derived.query, derived.alias, derived.columns)


def _viewed(relation: Relation, view: parsed.CreateView, name: ast.TableName) -> Relation:
    """The rows of a view, under the name by which a query reads it."""
    return replace(relation, node=View(relation.node, view.query, name.name, name.alias or name.name))


def _renamed(relation: Relation, names: tuple[str, ...], at: Place) -> Relation:
    """The relation with the names of a column list, which is after its alias or before AS."""
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
        f"{text} It was computed, so that no watermark follows it: select the time attribute itself, or that of a "
        "window (window_time; in a program col('w').rowtime)."
    )
