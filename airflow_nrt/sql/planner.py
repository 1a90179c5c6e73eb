"""A script to a plan: what is read, which window operators there are, what is written where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os.path import normpath
from pathlib import Path

from airflow_nrt.report.functions import PythonFunction
from airflow_nrt.report.options import FLINK_TUNING, REPORT_OPTIONS, SPARK_PREFIX, TIME_ZONE, nearest
from airflow_nrt.report.plan import CHANGE_HIDDEN, WINDOW_END, Insert, Plan, Query, Regroup, WindowAggregate
from airflow_nrt.report.spelling import quote
from airflow_nrt.report.tables import Column, Table
from airflow_nrt.report.types import DataType, Field
from airflow_nrt.report.windows import Sql, Window
from airflow_nrt.sql import ast
from airflow_nrt.sql.around import Around
from airflow_nrt.sql.changes import check_bounded, check_takes_changes
from airflow_nrt.sql.ddl import check_sink, check_source, declare, scope_columns, with_options
from airflow_nrt.sql.emit import check_emit
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, SqlErrors, nesting_of
from airflow_nrt.sql.expressions import cast_to
from airflow_nrt.sql.findings import Findings
from airflow_nrt.sql.functions.signature import Function
from airflow_nrt.sql.grouped_windows import grouped_window
from airflow_nrt.sql.grouping import plan_aggregate
from airflow_nrt.sql.joins import Named, join
from airflow_nrt.sql.kept_rows import finished
from airflow_nrt.sql.limit import plan_limit
from airflow_nrt.sql.local_time import planned_in, zone_of
from airflow_nrt.sql.ordering import sortable, sorted_result
from airflow_nrt.sql.parse_statements import parse_query, parse_script
from airflow_nrt.sql.projection import contains_aggregate, expand, plain_column, plan_projection
from airflow_nrt.sql.python_functions import call_of, calling, declare_function
from airflow_nrt.sql.relation import Relation, as_rows, raw_windows, timed_by_clock, window_columns
from airflow_nrt.sql.row_windows import has_row_windows, with_row_windows
from airflow_nrt.sql.scope import Scope, ScopeColumn
from airflow_nrt.sql.tvf import read_windowing, window_of_group
from airflow_nrt.sql.typed import Typed
from airflow_nrt.sql.unions import united
from airflow_nrt.sql.updating import plan_group
from airflow_nrt.sql.updating_rows import plan_ranking, ranks_all_time


def plan_report(script: str, name: str, base: Path, overrides: Mapping[str, str] | None = None) -> Plan:
    """The plan of a whole report. Relative paths of tables start at `base`; `overrides` win over its settings.

    Raises SqlError, or SqlErrors, with the places of all problems.
    """
    problems = Problems()
    planner = Planner(base)
    _add_all(planner, script, problems, overrides or {})
    if not planner.found.inserts and not problems.found:
        problems.found.append(SqlError("a report needs at least one INSERT INTO", _end(script)))
    problems.raise_any(script)
    check_bounded(planner.found, planner.settings, script)
    return planner.plan(script, name)


def plan_query(
    ddl: str, query_text: str, base: Path, sink: str = "result", overrides: Mapping[str, str] | None = None
) -> Plan:
    """The plan of tables and one query, whose result goes to a `print` table named `sink`; `overrides` as in a report.

    Raises SqlError, or SqlErrors, with the places of all problems.
    """
    problems = Problems()
    planner = Planner(base)
    _add_all(planner, ddl, problems, overrides or {})
    problems.raise_any(ddl)
    problems.attempt(partial(_add_query, planner, query_text, sink))
    problems.raise_any(query_text)
    return planner.plan(f"{ddl}\n{query_text}", "query")


def _add_all(planner: Planner, script: str, problems: Problems, overrides: Mapping[str, str]) -> None:
    statements = parse_script(script, problems)
    planner.zone = problems.attempt(lambda: zone_of(statements, overrides.get(TIME_ZONE)))
    for statement in statements:
        known = problems.attempt(partial(_checked, planner, statement))
        if known is None and isinstance(statement, (ast.CreateTable, ast.CreateView)):
            planner.broken.add(statement.name)
        elif known is None and isinstance(statement, ast.CreateFunction):
            planner.calls.setdefault(statement.name.upper(), _told_already)
    for key, value in overrides.items():
        problems.attempt(partial(planner.add, ast.SetOption(key, value, _end(script))))


def _checked(planner: Planner, statement: ast.Statement) -> bool:
    with nesting_of(statement.at), planned_in(planner.zone), calling(planner.calls):
        planner.add(statement)
    return True


def _add_query(planner: Planner, query_text: str, sink: str) -> None:
    query, order = sortable(parse_query(query_text))
    with nesting_of(query.at), planned_in(planner.zone), calling(planner.calls):
        relations = [planner.finished(relation) for relation in planner.queries(query, {})]
    columns = tuple(Column(column.name, column.type) for column in relations[0].columns)
    table = Table(sink, columns, "print", options={"connector": "print"})
    for relation in relations:
        planner.add_insert(table, relation, tuple(as_typed(column) for column in relation.columns))
    if order and len(relations) > 1:
        raise NotThereYet("ORDER BY of a UNION ALL of different windows", query.at)
    if order:
        planner.found.inserts = [sorted_result(planner.found.inserts[0], order, query.at)]


def _told_already(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """Stands for a function whose declaration is wrong."""
    raise SqlErrors(())


def _end(script: str) -> Place:
    """The place behind the last line."""
    lines = script.splitlines() or [""]
    return Place(len(lines), len(lines[-1]) + 1, len(script))


class Planner:
    """Collects statements; a view is planned anew wherever it is used."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.tables: dict[str, Table] = {}
        self.views: dict[str, ast.CreateView] = {}
        self.functions: dict[str, PythonFunction] = {}
        self.calls: dict[str, Function] = {}
        self.settings: dict[str, str] = {}
        self.set_at: dict[str, Place] = {}
        self.zone: str | None = None
        self.broken: set[str] = set()
        self.entered: list[str] = []
        self.found = Findings()
        self.has_grouped_window = False
        self.around = Around()

    def plan(self, script: str, name: str) -> Plan:
        found = self.found
        if found.operators:
            check_emit(self.settings, self.set_at, script, self.has_grouped_window)
        settings = tuple(sorted(self.settings.items()))
        title = self.settings.get("pipeline.name", name)
        return Plan(
            title,
            found.sources(self.zone),
            found.timed_operators(),
            tuple(found.regroups),
            tuple(found.inserts),
            settings,
            script,
            str(self.base),
            tuple(found.updating),
            tuple(self.functions.values()),
        )

    def add(self, statement: ast.Statement) -> None:
        match statement:
            case ast.SetOption():
                self._set(statement)
            case ast.CreateTable():
                if not (statement.if_not_exists and statement.name in self.tables):
                    self._check_free(statement.name, statement.at)
                    self.tables[statement.name] = self._placed(declare(statement, self.tables))
            case ast.CreateView():
                if not (statement.if_not_exists and statement.name in self.views):
                    self._check_free(statement.name, statement.at)
                    self._add_view(statement)
            case ast.CreateFunction():
                self._add_function(statement)
            case ast.Insert():
                self._insert(statement)
            case ast.Unreadable():
                self.broken.add(statement.name)

    def _add_view(self, view: ast.CreateView) -> None:
        """What is wrong with a view is told even if nobody reads it; what it reads counts only where it is read."""
        self.views[view.name] = view
        found, self.found = self.found, Findings()
        try:
            self._view(view, ast.TableName(view.name, view.at))
        finally:
            self.found = found

    def _add_function(self, statement: ast.CreateFunction) -> None:
        name = statement.name.upper()
        if name in self.functions and statement.if_not_exists:
            return
        if name in self.functions:
            raise SqlError(f"function {statement.name!r} exists already", statement.at)
        self.functions[name] = declare_function(statement, self.base)
        self.calls[name] = call_of(self.functions[name])

    def _placed(self, table: Table) -> Table:
        """The table with an absolute path, without `..`: as Spark will spell it in what it says of its files."""
        path = table.options.get("path")
        if path is None or ("://" in path and not path.startswith("file://")):
            return table
        return with_options(table, {"path": normpath(self.base / path.removeprefix("file://"))})

    def _check_free(self, name: str, at: Place) -> None:
        if name in self.tables or name in self.views:
            raise SqlError(f"{name!r} exists already", at)

    def _set(self, statement: ast.SetOption) -> None:
        key = statement.key
        if key.startswith(FLINK_TUNING):
            return
        if not key.startswith(SPARK_PREFIX):
            option = REPORT_OPTIONS.get(key)
            if option is None:
                raise SqlError(f"there is no setting {key!r}{nearest(key, REPORT_OPTIONS)}", statement.at)
            try:
                option.read(statement.value)
            except ValueError as wrong:
                raise SqlError(f"setting {key!r}: {wrong}", statement.at) from None
        self.settings[key] = statement.value
        self.set_at[key] = statement.at

    # ------------------------------------------------------------------ queries

    def query(self, node: ast.Query, ctes: dict[str, Relation | ast.CreateView]) -> Relation:
        """A query that others read. Raises SqlError as `queries` does, and for rows of different windows."""
        first, *others = self.queries(node, ctes)
        if others:
            raise NotThereYet("UNION ALL of rows that are not of the same window, inside another query", node.at)
        return first

    def queries(self, node: ast.Query, ctes: dict[str, Relation | ast.CreateView]) -> list[Relation]:
        """The relations whose rows a query gives: several, if it is a UNION ALL of different windows."""
        around, self.around = self.around, Around()
        if isinstance(node, ast.Values):
            raise NotThereYet("VALUES as a table", node.at)
        if node.limit is not None:
            numbered, select = plan_limit(self.found, node, lambda rest: self.query(rest, ctes))
            relation_of = partial(self._finished_relation, ctes={})
            return [plan_projection(self.found, select, numbered, None, relation_of)]
        if node.order:
            raise NotThereYet("ORDER BY without LIMIT", node.at)
        scope = dict(ctes)
        for name, columns, query in node.ctes:
            scope[name] = ast.CreateView(name, columns, query, False, node.at)
        if isinstance(node, ast.Select):
            return [self._select(node, scope, around)]
        if node.operator != "UNION" or not node.all:
            raise NotThereYet(node.operator + (" ALL" if node.all else ""), node.at)
        return united(
            self.found, [one for side in (node.left, node.right) for one in self.queries(side, scope)], node.at
        )

    def _select(self, node: ast.Select, scope: dict[str, Relation | ast.CreateView], around: Around) -> Relation:
        if node.relation is None:
            raise NotThereYet("SELECT without FROM", node.at)
        self.around = Around.of(node)
        relation, alias = self.relation(node.relation, scope)
        self.around = Around()
        if relation.pending is None and relation.window is None and has_row_windows(node):
            node, relation = with_row_windows(self.found, node, relation, alias, self.zone)
        if node.distinct:
            node = _as_grouping(node, relation, alias)
        grouped = grouped_window(node)
        if grouped is not None:
            self.has_grouped_window = True
            windowing = (window_of_group(grouped.call), None)
            relation = self._windowed(relation, alias, grouped.timecol, windowing, grouped.call.at)
            grouped.check_times(by_clock=bool(relation.clock))
            node = grouped.select
        if node.group is not None or contains_aggregate(node):
            return plan_aggregate(self.found, node, relation, alias, plan_group)
        if ranks_all_time(node, relation, alias):
            return plan_ranking(self.found, node, relation, alias, around)
        return plan_projection(self.found, node, relation, alias, lambda inner: self._finished_relation(inner, scope))

    def _finished_relation(self, node: ast.Relation, ctes: dict[str, Relation | ast.CreateView]) -> Named:
        relation, alias = self.relation(node, ctes)
        return finished(self.found, relation), alias

    def relation(self, node: ast.Relation, ctes: dict[str, Relation | ast.CreateView]) -> tuple[Relation, str | None]:
        """A relation and the name that its columns can be qualified with."""
        match node:
            case ast.TableName():
                return self._named(node, ctes), node.alias or node.name
            case ast.Derived():
                return _renamed(self.query(node.query, ctes), node.columns, node.at), node.alias
            case ast.FunctionTable():
                return _renamed(self._windowing(node.call, ctes), node.columns, node.at), node.alias
            case ast.Join():
                left = self._finished_relation(node.left, ctes)
                return join(node, left, self._finished_relation(node.right, ctes)), None

    def _named(self, node: ast.TableName, ctes: dict[str, Relation | ast.CreateView]) -> Relation:
        view = ctes.get(node.name)
        if node.options and (view is not None or node.name in self.views):
            raise SqlError(f"{node.name!r} is no table, so it takes no OPTIONS", node.at)
        if isinstance(view, ast.CreateView):
            inner = {name: value for name, value in ctes.items() if name != node.name}
            return self._inside(view, inner, node.at)
        if node.name in self.views:
            return self._view(self.views[node.name], node)
        if node.name in self.broken:
            # What is wrong with it was told where it is declared.
            raise SqlErrors(())
        if node.name not in self.tables:
            hint = nearest(node.name, [*self.tables, *self.views])
            raise SqlError(f"there is no table or view {node.name!r}{hint}", node.at)
        return self._scan(node)

    def _view(self, view: ast.CreateView, node: ast.TableName) -> Relation:
        if view.name in self.entered:
            raise SqlError(f"view {view.name!r} reads itself", node.at)
        self.entered.append(view.name)
        try:
            return self._inside(view, {}, node.at)
        finally:
            self.entered.pop()

    def _inside(self, view: ast.CreateView, ctes: dict[str, Relation | ast.CreateView], at: Place) -> Relation:
        if view.columns:
            # Whoever reads the view asks for other names than those inside.
            self.around = Around()
        return _renamed(self.query(view.query, ctes), view.columns, at)

    def _scan(self, node: ast.TableName) -> Relation:
        table = with_options(self.tables[node.name], dict(node.options))
        check_source(table, node.at)
        if not self.found.note_source(table):
            raise NotThereYet(f"reading {node.name!r} twice with different OPTIONS", node.at)
        return Relation(quote(node.name), scope_columns(table), (node.name,), scan=node.name)

    def _windowing(self, call: ast.Call, ctes: dict[str, Relation | ast.CreateView]) -> Relation:
        windowing = read_windowing(call)
        relation, alias = self.relation(windowing.relation, ctes)
        scope = Scope(relation.columns, alias)
        partition = tuple(scope.find(key).name for key in windowing.partition)
        return self._windowed(relation, alias, windowing.timecol, (windowing.window, partition), call.at)

    def _windowed(
        self,
        relation: Relation,
        alias: str | None,
        timecol: ast.Name,
        windowing: tuple[Window, tuple[str, ...] | None],
        at: Place,
    ) -> Relation:
        if relation.is_changing:
            raise NotThereYet("a window over rows that change", at)
        window, partition = windowing
        column = Scope(relation.columns, alias).time_column(timecol)
        if not column.rowtime and not column.proctime:
            raise SqlError(_no_time_attribute(column, relation.scan), timecol.at)
        relation = finished(self.found, relation)
        if relation.window is not None:
            relation = as_rows(relation)
        if column.proctime:
            self.found.note_columns(relation, [as_typed(column)])
            relation = timed_by_clock(relation, self.zone)
        for name in ("window_start", "window_end", "window_time"):
            if name in relation.names:
                raise SqlError(f"column {name!r} of the input is ambiguous with the window's: rename it", at)
        columns = tuple(
            replace(c, rowtime=False, rowtime_path=(), proctime=False, role=None, of_window=False)
            for c in relation.columns
        )
        return replace(
            relation,
            columns=columns + window_columns(column.type),
            pending=replace(window, zone=self.zone) if column.type.name == "TIMESTAMP_LTZ" else window,
            partition=partition,
            rowtime_type=column.type,
        )

    # ------------------------------------------------------------------ inserts

    def _insert(self, statement: ast.Insert) -> None:
        if statement.table in self.broken:
            raise SqlErrors(())
        if statement.table not in self.tables:
            hint = nearest(statement.table, self.tables)
            raise SqlError(f"there is no table {statement.table!r} to insert into{hint}", statement.at)
        sink = with_options(self.tables[statement.table], dict(statement.options))
        check_sink(sink, statement.at)
        for relation in map(self.finished, self.queries(statement.query, {})):
            check_takes_changes(self.found, sink, relation)
            self.add_insert(sink, relation, _matched(sink, relation, statement))

    def finished(self, relation: Relation) -> Relation:
        """A relation that can be written: a windowing function nobody aggregated becomes its raw windows."""
        self.found.note_all_columns(relation)
        if relation.has_sessions:
            return finished(self.found, relation)
        return raw_windows(relation) if relation.pending is not None else relation

    def add_insert(self, sink: Table, relation: Relation, values: tuple[Typed, ...]) -> None:
        """One insert: `values` are the sink's physical columns, as expressions over the relation."""
        items = [f"{cast_to(v, c.type)} AS {quote(c.name)}" for v, c in zip(values, sink.physical)]
        if relation.is_changing:
            items += CHANGE_HIDDEN
        elif relation.window is not None:
            items.append(f"{relation.window.name(Sql(WINDOW_END))} AS {WINDOW_END}")
        fields = tuple(Field(column.name, column.type) for column in sink.physical)
        query = Query(f"SELECT {', '.join(items)} FROM {relation.text}", relation.inputs, fields)
        taken = sum(1 for insert in self.found.inserts if insert.sink.name == sink.name)
        name = sink.name if not taken else f"{sink.name}_{taken + 1}"
        operators = self.found.operators_below(relation.inputs)
        window = relation.window
        key = self._key(sink, relation, values) if window is not None else None
        self.found.inserts.append(Insert(name, sink, query, operators, window, key, relation.is_changing))

    def _key(self, sink: Table, relation: Relation, values: tuple[Typed, ...]) -> tuple[str, ...] | None:
        """The sink columns that tell the rows of a window apart, if all keys of the operator are written.

        A slot can have two sessions of a key.
        """
        known: list[WindowAggregate | Regroup] = [*self.found.operators, *self.found.regroups]
        operator = next((one for one in known if one.name == relation.operator), None)
        if operator is None or operator.window.kind == "SESSION":
            return None
        carried = dict(relation.keys)
        written: dict[str, str] = {}
        for value, column in zip(values, sink.physical):
            source = plain_column(value)
            if source is not None and source in carried:
                written.setdefault(carried[source], column.name)
        keys = [key.name for key in operator.keys]
        return tuple(written[key] for key in keys) if all(key in written for key in keys) else None


def _as_grouping(node: ast.Select, relation: Relation, alias: str | None) -> ast.Select:
    """SELECT DISTINCT as what it means: a GROUP BY of all that is selected."""
    if node.group is not None or contains_aggregate(node):
        raise NotThereYet("SELECT DISTINCT of an aggregation", node.at, "leave DISTINCT away: groups differ")
    items = tuple(expand(node.items, relation, alias))
    keys = tuple(ast.Grouping("key", ((item.expression,),), node.at) for item in items)
    return replace(node, distinct=False, items=items, group=keys)


def as_typed(column: ScopeColumn) -> Typed:
    """A column of a relation as an expression over it."""
    return Typed(quote(column.name), column.type, columns=frozenset({column.name}))


def _renamed(relation: Relation, names: tuple[str, ...], at: Place) -> Relation:
    """The relation with a column list behind its alias or in front of AS."""
    if not names:
        return relation
    if len(names) != len(relation.columns):
        raise SqlError(f"the column list has {len(names)} names, the query {len(relation.columns)} columns", at)
    if relation.pending is not None:
        raise NotThereYet("a column list on a windowing function", at)
    items = [f"{quote(column.name)} AS {quote(name)}" for column, name in zip(relation.columns, names)]
    renames = dict(zip(relation.names, names))
    return replace(
        relation,
        text=f"(SELECT {', '.join([*items, *relation.hidden])} FROM {relation.text})",
        columns=tuple(replace(column, name=name) for column, name in zip(relation.columns, names)),
        keys=tuple((renames[column], key) for column, key in relation.keys),
        scan=None,
    )


def _no_time_attribute(column: ScopeColumn, scan: str | None) -> str:
    text = f"The window function requires the timecol is a time attribute type, but is {column.type.flink}."
    if column.type.is_timestamp and scan is not None:
        return f"{text} Add WATERMARK FOR {column.name} AS {column.name} - INTERVAL '5' SECOND to table {scan}."
    return text


def _matched(sink: Table, relation: Relation, statement: ast.Insert) -> tuple[Typed, ...]:
    """The values of the sink's columns, by place or by the insert's column list. Raises SqlError on a mismatch."""
    targets = statement.columns or tuple(column.name for column in sink.physical)
    for name in statement.columns:
        if name not in {column.name for column in sink.physical}:
            raise SqlError(f"table {sink.name!r} has no column {name!r} to insert into", statement.at)
    if len(targets) != len(relation.columns):
        raise SqlError(
            f"the query has {len(relation.columns)} columns ({', '.join(relation.names)}), "
            f"table {sink.name!r} takes {len(targets)} ({', '.join(targets)})",
            statement.at,
        )
    given = dict(zip(targets, relation.columns))
    values = []
    for column in sink.physical:
        source = given.get(column.name)
        if source is None:
            values.append(Typed(f"CAST(NULL AS {column.type.spark})", column.type.with_nullable(True)))
            continue
        if not _fits(source.type, column.type):
            raise SqlError(
                f"column {column.name!r} of table {sink.name!r} is {column.type.flink}, "
                f"the query's column {source.name!r} is {source.type.flink}: CAST it, or change the table",
                statement.at,
            )
        values.append(as_typed(source))
    _check_partitions(sink, relation, given, statement)
    return tuple(values)


def _check_partitions(sink: Table, relation: Relation, given: dict[str, ScopeColumn], statement: ast.Insert) -> None:
    """A window becomes visible by one rename, so that all of it must lie in one partition."""
    if relation.window is None:
        return
    for key in sink.partition_keys:
        source = given.get(key)
        if source is not None and not source.of_window:
            raise SqlError(
                f"partition column {key!r} of table {sink.name!r} must depend on the window alone (for example "
                f"DATE_FORMAT(window_end, 'yyyy-MM-dd')): a window is published whole, as one file",
                statement.at,
            )


def _fits(source: DataType, target: DataType) -> bool:
    """Flink's implicit casts into a sink."""
    if source.name == "NULL" or (source.is_string and target.is_string):
        return True
    if source.is_numeric and target.is_numeric:
        if source.is_integer and target.is_integer:
            return source.digits <= target.digits
        return target.name in ("DECIMAL", "DOUBLE") or source.name == target.name == "FLOAT"
    if source.is_timestamp and source.name == target.name:
        return True
    if source.name == target.name and source.children and len(source.children) == len(target.children):
        return all(_fits(a, b) for (_, a), (_, b) in zip(source.children, target.children))
    return source.with_nullable(True) == target.with_nullable(True)
