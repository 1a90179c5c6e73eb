"""Queries to relations: SELECT, UNION ALL, joins, views and windowing functions, over the tables of a script."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeGuard

from airflow_nrt.basics.nearest import nearest
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.aggregates import select_distinct
from airflow_nrt.sql.ddl.ddl import check_dimension, with_options
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.expressions.scope import Scope
from airflow_nrt.sql.from_clause.constant_rows import ONE_ROW, rows_of
from airflow_nrt.sql.from_clause.ctes import Ctes, with_all
from airflow_nrt.sql.from_clause.laterals import lateral
from airflow_nrt.sql.from_clause.unions import united
from airflow_nrt.sql.from_clause.windowed_rows import windowed
from airflow_nrt.sql.from_clause.windowing_functions import read_windowing
from airflow_nrt.sql.joins.as_of_sides import as_of_chain, by_rowtime, time_of
from airflow_nrt.sql.joins.joins import join
from airflow_nrt.sql.joins.last_rows import all_versions
from airflow_nrt.sql.joins.lookup_join import lookup_join
from airflow_nrt.sql.joins.temporal_join import AsOf, temporal_joins
from airflow_nrt.sql.joins.versioned import Versioned, versioned
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.logical.folded import as_groups, as_operation, together
from airflow_nrt.sql.logical.named import Derived, View
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.sort import Limit
from airflow_nrt.sql.logical.window import Window as WindowNode
from airflow_nrt.sql.over.over_groups import above_groups
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.limits import check_rows
from airflow_nrt.sql.plan_cache import CachedPlan
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.planned_queries import RecordedDemand
from airflow_nrt.sql.relations.relation import (
    WINDOW_COLUMNS,
    Relation,
    raw_windows,
    window_columns,
)
from airflow_nrt.sql.relations.unknown_names import PartlyPlanned, expressions_of, unknown_names
from airflow_nrt.sql.select import SelectPlanner
from airflow_nrt.sql.selects.column_lists import renamed
from airflow_nrt.sql.selects.projection import plan_projection
from airflow_nrt.sql.table_scan import scanned, versions_of
from airflow_nrt.sql.updating.different_windows import as_one, keeps_apart
from airflow_nrt.sql.updating.limit import plan_limit
from airflow_nrt.sql.updating.set_operations import as_grouping


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
                relations = self._select(node, with_all(node.ctes, ctes, node.at), recorded)
            elif not _is_union_all(node):
                relations = self._planned(node, ctes, recorded)
            else:
                scope = with_all(node.ctes, ctes, node.at)
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
        scope = with_all(node.ctes, ctes, node.at)
        names = self.query(node.left, scope).names
        grouped = self._select(as_grouping(node, names), scope, demand)
        return [replace(one, node=as_operation(one.node, node)) for one in grouped]

    def _select(self, node: ast.Select, scope: Ctes, demand: Demand) -> list[Relation]:
        written = select_distinct.above_all(node)
        planned = above_groups(written)
        relations = self._each(planned, scope, demand)
        if planned is written:
            return relations
        return [replace(one, node=as_groups(one.node, planned, written)) for one in relations]

    def _each(self, node: ast.Select, scope: Ctes, demand: Demand) -> list[Relation]:
        """The relations of a SELECT, one for each of its FROM."""
        if node.relation is None:
            return [self._selects(scope).relation(node, ONE_ROW, None, demand)]
        self._demand, self._where = Demand.of(node, demand), node.where
        try:
            relations, alias = self._apart(node.relation, scope)
        except PartlyPlanned as wrong:
            problems = Problems([*wrong.problems, *unknown_names(wrong.scope, expressions_of(node))])
            problems.stop()
        finally:
            self._demand, self._where = Demand(), None
        selects = self._selects(scope)
        if len(relations) > 1 and keeps_apart(node):
            selected_rows = [selects.relation(node, relation, alias, demand) for relation in relations]
            tree = together([one.node for one in selected_rows])
            return [replace(one, node=tree) for one in selected_rows]
        return [selects.relation(node, as_one(self.findings, relations), alias, demand)]

    def _selects(self, scope: Ctes) -> SelectPlanner:
        return SelectPlanner(self.findings, partial(self.relation, ctes=scope), self.zone, self.emits_again)

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
                rows = [renamed(one, node.columns, node.at) for one in self.relations(node.query, ctes)]
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
        if isinstance(node.right, ast.TableVersion):
            return self._as_of(node, demand, ctes)
        problems = Problems()
        filtered = demand if node.kind in ("INNER", "CROSS", "LEFT") else Demand()
        left = problems.attempt(partial(self._side, node.left, filtered, ctes))
        if isinstance(node.right, ast.Lateral):
            if left is None:
                problems.stop()
            return lateral(self.findings, node, node.right, left)
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

    def _as_of(self, node: ast.Join, demand: Demand, ctes: Ctes) -> Relation:
        """Joins with versions of tables, one after another. Those by rowtime that follow each other are one."""
        chain, problems = as_of_chain(node), Problems()
        left = problems.attempt(partial(self._side, chain[0][0].left, demand, ctes))
        for _, right in chain:
            problems.attempt(partial(self._check_is_known, right))
        if left is None or problems.errors or problems.failed:
            problems.stop()
        while chain:
            timed = by_rowtime(left, chain)
            if timed and len(timed) < len(chain):
                raise NotThereYet(
                    "a lookup join after an event-time temporal join", chain[-1][1].at, "write the lookup join first"
                )
            if timed:
                steps = [AsOf(join, right, self._versioned(right)) for join, right in timed]
                rows = temporal_joins(self.findings, left, steps, demand, self.zone)
            else:
                rows = lookup_join(self.findings, *chain[0], left, self._dimension(*chain[0], left), demand)
            check_rows(rows.text, chain[0][0].at)
            left, chain = (rows, None), chain[max(1, len(timed)) :]
        return left[0]

    def _check_is_known(self, right: ast.TableVersion) -> None:
        """Raises SqlError, or SqlErrors if its declaration is wrong."""
        if right.name in self.broken:
            raise SqlErrors(())
        if right.name not in self.tables and right.name not in self.views:
            raise SqlError(f"there is no table {right.name!r}{nearest(right.name, self.tables)}", right.at)

    def _dimension(self, node: ast.Join, right: ast.TableVersion, left: Named) -> Table:
        """The table that a lookup join reads. Raises SqlError."""
        time_of(node, right, left)
        if right.name in self.views:
            raise SqlError(f"FOR SYSTEM_TIME AS OF wants a table, and {right.name!r} is a view", right.at)
        table = with_options(self.tables[right.name], dict(right.options))
        check_dimension(table, right.at)
        return table

    def _versioned(self, right: ast.TableVersion) -> Versioned:
        """The table, or the view, whose versions an event-time temporal join reads."""
        name = ast.TableName(right.name, right.at, right.alias, right.options)
        if right.name not in self.views:
            return versions_of(self.findings, self.tables[right.name], name, self.written)
        view = self.views[right.name]
        if view.columns:
            raise NotThereYet("FOR SYSTEM_TIME AS OF a view that renames its columns", right.at)
        query, key = all_versions(view.query, right.at)
        rows = as_one(self.findings, self.view(replace(view, query=query), name))
        time = next((column.type for column in rows.columns if column.rowtime), None)
        return versioned(right.name, rows, key, time, right.at)

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
        return [scanned(self.findings, self.tables[node.name], node, self.written, self._where, self._demand)]

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
        return [renamed(one, view.columns, at) for one in self.relations(view.query, ctes)]

    def _windowing(self, call: ast.Call, title: str | None, ctes: Ctes) -> Relation:
        try:
            windowing = read_windowing(call)
        except SqlError as wrong:
            raise self._partly_windowed(call, ctes, wrong) from None
        if windowing.window.bounded_by_rows:
            # Rows that WHERE leaves out are members of sessions, too.
            self._where = None
        self._demand = Demand(in_windows=True, timed_by=windowing.timecol.parts[-1])
        relation, alias = self.relation(windowing.relation, ctes)
        scope = Scope(relation.columns, alias)
        partition = tuple(scope.find(key).name for key in windowing.partition)
        window = (windowing.window, partition)
        rows = windowed(self.findings, self.zone, relation, alias, windowing.timecol, window, call.at)
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


def _derived(node: Node, derived: ast.Derived) -> Derived:
    return Derived(node, derived.query, derived.alias, derived.columns)


def _viewed(relation: Relation, view: parsed.CreateView, name: ast.TableName) -> Relation:
    """The rows of a view, under the name by which a query reads it."""
    return replace(relation, node=View(relation.node, view.query, name.name, name.alias or name.name))
