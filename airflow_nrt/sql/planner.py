"""A script to a plan: its sources, its operators, its inserts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from airflow_nrt.basics.nearest import nearest
from airflow_nrt.model.arithmetic_errors import are_null
from airflow_nrt.model.options.known import FIRST_DAY_OF_WEEK, MAX_SCRIPT, REPORT_OPTIONS, SPARK_PREFIX, TIME_ZONE, find
from airflow_nrt.model.origins import Origin
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.row_semantics import ROW_SEMANTICS, read_by
from airflow_nrt.model.tables import Column, Table
from airflow_nrt.program.functions import PythonFunction
from airflow_nrt.sql.ddl.altered import altered
from airflow_nrt.sql.ddl.ddl import Misdeclared, check_sink, check_sole, check_windows, declare, placed, with_options
from airflow_nrt.sql.ddl.emit import check_emit, emits_again
from airflow_nrt.sql.ddl.source_tables import with_source_tables
from airflow_nrt.sql.errors import Place, Problems, SettingError, SqlError, SqlErrors, nesting_of
from airflow_nrt.sql.expressions.failing import null_for_errors
from airflow_nrt.sql.expressions.known_functions import calling
from airflow_nrt.sql.expressions.local_time import planned_in, zone_of
from airflow_nrt.sql.expressions.noted import noting
from airflow_nrt.sql.expressions.python_functions import are_same, declare_function, own_function
from airflow_nrt.sql.expressions.scope import ScopeColumn
from airflow_nrt.sql.expressions.weeks import weeks_from
from airflow_nrt.sql.from_clause.constant_rows import arriving, is_constant
from airflow_nrt.sql.inserts.changes import check_bounded, check_takes_changes
from airflow_nrt.sql.inserts.in_order import in_order, rows_at_end, sorted_as
from airflow_nrt.sql.inserts.inserts import add_insert, matched, written_keys
from airflow_nrt.sql.inserts.not_null import drops_null
from airflow_nrt.sql.inserts.one_key import check_alone
from airflow_nrt.sql.inserts.overwriting import check_overwriting
from airflow_nrt.sql.inserts.timing import check_timing, delayed, timing_of
from airflow_nrt.sql.logical.node import Node
from airflow_nrt.sql.logical.sink import Sink
from airflow_nrt.sql.logical.steps import steps_of
from airflow_nrt.sql.over.arrival_numbers import check_numberings
from airflow_nrt.sql.over.first_rows import idle_ttl
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.limits import check_nodes, check_script, most_nodes, of_at_most
from airflow_nrt.sql.parse.meaning import meaning_of
from airflow_nrt.sql.parse.resets import with_resets
from airflow_nrt.sql.parse.statements import parse_query, parse_script
from airflow_nrt.sql.parse.uuids import all_with_names, calls_uuid, with_names
from airflow_nrt.sql.plan_cache import CachedPlan, PlanCache
from airflow_nrt.sql.queries import Queries
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.unique_keys import check_key
from airflow_nrt.sql.selects.ordering import named_of, shown, sortable
from airflow_nrt.sql.selects.projection import check_titles


def plan_report(script: str, name: str, base: Path, overrides: Mapping[str, str] | None = None) -> Plan:
    """The plan of a whole report. Relative paths of tables start at `base`; `overrides` win over its settings.

    Raises SqlError, or SqlErrors, with the places of all problems.
    """
    problems = Problems()
    check_script(script, overrides or {})
    statements = parse_script(script, problems)
    return plan_statements(statements, script, name, base, overrides or {}, problems)


def plan_statements(
    statements: Sequence[parsed.Statement],
    script: str,
    name: str,
    base: Path,
    overrides: Mapping[str, str],
    problems: Problems,
) -> Plan:
    """The plan of a report's statements, which were parsed from `script`; see `plan_report`.

    `problems` has the errors of parsing them.
    """
    planner = Planner(base)
    planner.add_all(statements, problems, overrides, _end(script))
    if not planner.queries.findings.inserts and not problems.errors:
        problems.errors.append(SqlError("a report needs at least one INSERT INTO", _end(script)))
    with nesting_of(_end(script)):
        plan = problems.attempt(partial(planner.plan, script, name))
        if plan is not None:
            problems.attempt(partial(check_bounded, plan, planner.queries.findings, script))
    problems.raise_any(script)
    assert plan is not None
    return replace(plan, reserved=tuple(problems.reserved))


def plan_query(
    ddl: str, query_text: str, base: Path, sink: str = "result", overrides: Mapping[str, str] | None = None
) -> Plan:
    """The plan of tables and one query, whose result goes to a `print` table named `sink`; `overrides` as in a report.

    Raises SqlError, or SqlErrors, with the places of all problems.
    """
    problems = Problems()
    planner = Planner(base)
    check_script(f"{ddl}\n{query_text}", overrides or {})
    planner.add_all(parse_script(ddl, problems), problems, overrides or {}, _end(ddl))
    problems.raise_any(ddl)
    problems.attempt(lambda: planner.add_query(parse_query(query_text), sink))
    problems.raise_any(query_text)
    return planner.plan(f"{ddl}\n{query_text}", "query")


def plan_parsed_query(
    statements: Sequence[parsed.Statement], query: ast.Query, base: Path, sink: str = "result"
) -> Plan:
    """As `plan_query`, of syntax that has no text: a query of a program."""
    problems = Problems()
    planner = Planner(base)
    planner.add_all(statements, problems, {}, query.at)
    problems.attempt(lambda: planner.add_query(query, sink))
    problems.raise_any()
    return planner.plan("", "query")


def _end(script: str) -> Place:
    """The place after the last line."""
    lines = script.splitlines() or [""]
    return Place(len(lines), len(lines[-1]) + 1, len(script))


class Planner:
    """Collects statements: declarations, settings, inserts."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.queries = Queries()
        self.functions: dict[str, PythonFunction | None] = {}
        self.settings: dict[str, str] = {}
        self.set_at: dict[str, Place] = {}
        self.declared_at: dict[str, Place] = {}
        self._notes: dict[Origin, None] = {}
        self.idle: dict[str, str] = {}
        self._opened: set[str] = set()
        self._cache = PlanCache()
        self._inserts: list[parsed.Insert] = []
        self._misdeclared: set[str] = set()
        self._declarations: dict[str, parsed.CreateTable] = {}
        self._dropped: dict[str, Table] = {}
        self._views = Findings()
        self._most_nodes: int | None = None
        self._nulls_errors = False

    @contextmanager
    def at_work(self, at: Place) -> Iterator[None]:
        """Plans a statement at this place, in the session's zone and with the functions that are declared."""
        zone, functions = planned_in(self.queries.zone), calling(self.functions)
        errors = null_for_errors(self._nulls_errors or are_null(self.settings))
        weeks = weeks_from(self.settings.get(FIRST_DAY_OF_WEEK))
        with nesting_of(at), zone, weeks, functions, errors, noting(self._notes), of_at_most(self._most_nodes):
            yield

    def plan(self, script: str, name: str) -> Plan:
        findings = self.queries.findings
        if findings.operators:
            check_emit(self.settings, self.set_at, script)
        sources = findings.sources(self.queries.zone)
        plan = Plan(
            self.settings.get("pipeline.name", name),
            with_source_tables(sources, {**self._dropped, **self.queries.tables}, self.declared_at, findings.inserts),
            findings.timed_operators(),
            tuple(findings.regroups),
            tuple(findings.inserts),
            tuple(sorted(self.settings.items())),
            script,
            str(self.base),
            tuple(findings.updating),
            tuple(function for function in self.functions.values() if function is not None),
            origins=tuple(self._notes),
            idle=tuple({**self.idle, **findings.idle}.items()),
            lookups=findings.lookups(),
            clocked=tuple(findings.clocked),
        )
        check_numberings(plan, findings)
        newest = read_by(ROW_SEMANTICS, plan)
        return plan if newest is plan else replace(newest, by_entry=plan)

    def add_all(
        self, statements: Sequence[parsed.Statement], problems: Problems, overrides: Mapping[str, str], end: Place
    ) -> None:
        """Adds the statements, then the `overrides` as if SET at the `end`. Errors are added to `problems`."""
        statements = all_with_names(with_resets(statements, problems))
        self.queries.zone = problems.attempt(lambda: zone_of(statements, overrides.get(TIME_ZONE)))
        self._most_nodes = most_nodes(statements, overrides)
        self.queries.written = {one.table for one in statements if isinstance(one, parsed.Insert)}
        self.queries.emits_again = emits_again(statements, overrides)
        self.queries.findings.drops_null = drops_null(statements, overrides)
        self.queries.findings.identifies = calls_uuid(statements)
        given = {**{one.key: one.value for one in statements if isinstance(one, parsed.SetOption)}, **overrides}
        self._nulls_errors = are_null(given)
        self.queries.findings.idle_ttl = idle_ttl(given)
        for statement in statements:
            known = problems.attempt(partial(self._checked, statement))
            if known is None and isinstance(statement, (parsed.CreateTable, parsed.CreateView)):
                if statement.name not in self.queries.tables:
                    self.queries.broken.add(statement.name)
            elif known is None and isinstance(statement, parsed.CreateFunction):
                self.functions.setdefault(statement.name.upper(), None)
        for key, value in overrides.items():
            problems.attempt(partial(self._override, parsed.SetOption(key, value, end)))

    def _override(self, setting: parsed.SetOption) -> None:
        try:
            self.add(setting)
        except SqlError as wrong:
            raise SettingError(wrong.message, wrong.at) from None

    def _checked(self, statement: parsed.Statement) -> bool:
        if isinstance(statement, parsed.SetOption) and statement.key == MAX_SCRIPT:
            raise SqlError(
                "the size of a script is checked before it is read: give "
                f"--set {MAX_SCRIPT}={statement.value!r} instead (of an operator: settings)",
                statement.at,
            )
        with self.at_work(statement.at):
            self.add(statement)
        return True

    def add_query(self, query: ast.Query, sink: str) -> None:
        """A query whose result goes to a `print` table of its columns. Raises SqlError, or SqlErrors."""
        findings, query = self.queries.findings, with_names(query, f"into {sink}")
        findings.identifies |= calls_uuid(query)
        written, before = query, len(findings.inserts)
        query, order = sortable(query)
        with self.at_work(query.at):
            relations = [self.queries.finished(relation) for relation in self.queries.relations(query, {})]
        for column in relations[0].columns:
            if column.type.name == "NULL":
                raise SqlError(
                    f"column {column.title!r} is only NULL, of no type: write CAST(NULL AS STRING)",
                    query.at,
                )
        by = named_of(relations, order, query.at)
        columns = tuple(Column(column.name, column.type) for column in shown(relations[0]).columns)
        table = Table(sink, columns, "print", options={"connector": "print"})
        for relation in relations:
            if by:
                waits = relation.is_changing and not relation.adds_only
                rows = rows_at_end(findings, relation, query.at) if waits else relation
                relation = sorted_as(rows, relation, by)
            add_insert(findings, table, relation, tuple(column.typed for column in shown(relation).columns), by)
        self._describe_inserts(written, relation.node, before)

    def columns_of(self, query: ast.Query) -> tuple[ScopeColumn, ...]:
        """The columns of a query that nothing reads yet. Raises SqlError, or SqlErrors."""
        query = with_names(query, "query")
        columns = (self._cache.find(query) or self._plan_apart(query)).relations[0].columns
        check_titles(columns, query.at)
        return columns

    def _plan_apart(self, query: ast.Query) -> CachedPlan:
        unsorted, _ = sortable(query)
        below = self._cache.below(unsorted)
        with self.at_work(query.at), self._apart_from_report(below):
            plan = CachedPlan(query, tuple(self.queries.relations(unsorted, {})), self.queries.findings)
        if unsorted is query:
            self._cache.add(plan)
        return plan

    @contextmanager
    def _apart_from_report(self, below: CachedPlan | None = None) -> Iterator[None]:
        """Plans queries whose sources and operators are no part of the report. The plan `below` is read as it is."""
        self.queries.below = below
        try:
            with self._findings_in(below.findings.copy() if below is not None else Findings()):
                yield
        finally:
            self.queries.below = None

    @contextmanager
    def _findings_in(self, findings: Findings) -> Iterator[None]:
        """Plans queries whose sources and operators are added to these findings."""
        before, self.queries.findings = self.queries.findings, findings
        try:
            yield
        finally:
            self.queries.findings = before

    def _forget(self) -> None:
        """Drops the plans of queries: the same text may mean something else now."""
        self.queries.findings.queries.clear()
        self._views = Findings()

    def add(self, statement: parsed.Statement) -> None:
        self._cache.clear()
        match statement:
            case parsed.SetOption():
                self._set(statement)
            case parsed.CreateTable():
                if not (statement.if_not_exists and statement.name in self.queries.tables):
                    self._check_free(statement.name, statement.at)
                    self._declare(statement)
            case parsed.CreateView():
                if statement.replaces and self.queries.views.pop(statement.name, None) is not None:
                    self._forget()
                if not (statement.if_not_exists and statement.name in self.queries.views):
                    self._check_free(statement.name, statement.at)
                    self._add_view(statement)
            case parsed.Drop():
                self._drop(statement)
            case parsed.AlterTable():
                self._alter(statement)
            case parsed.CreateFunction():
                self._add_function(statement)
            case parsed.DeclaredFunction():
                self._add_own_function(statement)
            case parsed.Insert():
                self._insert(statement)
            case parsed.Idle():
                self._pass_over(statement)
            case parsed.Unreadable():
                self.queries.broken.add(statement.name)
                self.functions.setdefault(statement.name.upper(), None)

    def _declare(self, statement: parsed.CreateTable) -> None:
        """Declares a table. If only its columns are right it is declared by them, so that its queries are checked."""
        if statement.like in self.queries.broken:
            raise SqlErrors(())
        self.declared_at[statement.name] = statement.at
        self._declarations[statement.name] = statement
        try:
            self.queries.tables[statement.name] = placed(declare(statement, self.queries.tables), self.base)
        except Misdeclared as wrong:
            if wrong.table is not None:
                self.queries.tables[statement.name] = wrong.table
                self._misdeclared.add(statement.name)
            raise

    def _drop(self, statement: parsed.Drop) -> None:
        """Takes away a view or a table for what follows. Raises SqlError if there is none of that name."""
        known: Collection[str] = self.queries.views if statement.kind == "view" else self.queries.tables
        name = statement.name
        if name not in known:
            if not statement.if_exists:
                hint = nearest(name, known)
                raise SqlError(f"there is no {statement.kind} {name!r} to drop{hint}", statement.at)
            self.idle[f"statement {statement.text!r}"] = "nothing of that name is declared before it"
            return
        if statement.kind == "view":
            del self.queries.views[name]
        else:
            used, table = name in self.queries.findings.used_tables(), self.queries.tables.pop(name)
            # Its rows and results go by its name.
            self._dropped.update({name: table} if used else {})
            del self._declarations[name]
        self._forget()

    def _alter(self, statement: parsed.AlterTable) -> None:
        """Declares a table anew with other options. Raises SqlError, or SqlErrors."""
        name = statement.name
        declared = self._declarations.get(name)
        if declared is None:
            raise SqlError(f"there is no table {name!r} to alter{nearest(name, self._declarations)}", statement.at)
        if name in self.queries.findings.used_tables():
            raise SqlError(
                f"ALTER TABLE {name!r} after an INSERT that uses it: put it before the first one, because a report "
                "has one declaration of each table",
                statement.at,
            )
        self._declare(altered(declared, statement))
        self._forget()

    def _pass_over(self, statement: parsed.Idle) -> None:
        """Notes a statement without an effect. Raises SqlError if it has one here."""
        name, kind = statement.name, statement.takes_back
        if kind == "setting" and (name in self.settings if name else self.settings):
            raise SqlError("RESET has no place in a report: leave out the SET that it takes back", statement.at)
        if kind == "function" and name is not None and name.upper() in self.functions:
            raise SqlError(
                f"DROP of {name!r} has no place in a report, which declares it before: it declares each function once",
                statement.at,
            )
        if statement.enters is not None and statement.enters not in self._opened:
            raise SqlError(
                f"there is no catalog or database {statement.enters!r}: a report declares its tables itself, leave USE "
                "out",
                statement.at,
            )
        self._opened |= {statement.opens} if statement.opens is not None else set()
        self.idle[f"statement {statement.text!r}"] = statement.why

    def _add_view(self, view: parsed.CreateView) -> None:
        """Adds a view. Its errors are reported even if nothing reads it; its sources count only where it is read."""
        self.queries.views[view.name] = view
        name = ast.TableName(view.name, view.at)
        try:
            with self._findings_in(self._views):
                self.queries.view(view, name)
        except (SqlError, SqlErrors):
            # The only error may be that an earlier view reads a table with other OPTIONS.
            self._views = Findings()
            with self._findings_in(self._views):
                self.queries.view(view, name)

    def _add_function(self, statement: parsed.CreateFunction) -> None:
        name = statement.name.upper()
        if name in self.functions and statement.if_not_exists:
            return
        if name in self.functions:
            raise SqlError(f"function {statement.name!r} exists already", statement.at)
        self.functions[name] = declare_function(statement, self.base)
        self._forget()

    def _add_own_function(self, statement: parsed.DeclaredFunction) -> None:
        """Adds a function of the program. No other takes its name: earlier calls mean the one that has it."""
        name, function = statement.name.upper(), own_function(statement)
        known = self.functions.get(name, function)
        if known is None or not are_same(known, function):
            raise SqlError(f"function {statement.name!r} exists already: give this one another name", statement.at)
        self.functions[name] = known
        self._forget()

    def _check_free(self, name: str, at: Place) -> None:
        if name in self._dropped:
            raise SqlError(
                f"{name!r} was dropped after an INSERT that uses it: a report has one table of a name, so give this "
                "one another",
                at,
            )
        if name in self.queries.tables or name in self.queries.views:
            raise SqlError(f"{name!r} exists already", at)

    def _set(self, statement: parsed.SetOption) -> None:
        key = statement.key
        if not key.startswith(SPARK_PREFIX):
            option = find(key, REPORT_OPTIONS)
            if option is None:
                raise SqlError(f"there is no setting {key!r}{nearest(key, REPORT_OPTIONS)}", statement.at)
            try:
                option.read(statement.value)
            except ValueError as wrong:
                raise SqlError(f"setting {key!r}: {wrong}", statement.at) from None
        if key == TIME_ZONE and statement.value != self.settings.get(key):
            self._forget()
        self.settings[key] = statement.value
        self.set_at[key] = statement.at

    def _insert(self, statement: parsed.Insert) -> None:
        problems = Problems()
        sink = problems.attempt(partial(self._sink, statement))
        if sink is None:
            with self._apart_from_report():
                problems.attempt(partial(self.queries.relations, sortable(statement.query)[0], {}))
            problems.stop()
        before = len(self.queries.findings.inserts)
        query, order = sortable(statement.query)
        with delayed(self.queries.findings, timing_of(sink, statement.at)):
            relations = [self.queries.finished(one) for one in self.queries.relations(query, {})]
        by = named_of(relations, order, query.at)
        for relation in relations:
            if is_constant(relation):
                relation = arriving(self.queries.findings, relation, statement.query)
            if by:
                relation = in_order(self.queries.findings, relation, by, sink, self.queries.zone, query.at)
            values = matched(sink, shown(relation), statement)
            if sink.name in self._misdeclared:
                # Only its columns are known, so nothing else of the insert can be checked.
                raise SqlErrors(())
            check_overwriting(self.queries.findings, relation, statement)
            check_takes_changes(self.queries.findings, sink, relation)
            check_timing(self.queries.findings, sink, relation, values, statement.at)
            check_key(sink, relation, written_keys(sink, relation, values), statement.at)
            insert = add_insert(self.queries.findings, sink, relation, values, by)
            check_windows(insert, statement.at)
            check_sole(insert, self.queries.findings.inserts, statement.at)
        check_nodes(self.queries.findings.size, statement.at)
        self._describe_inserts(statement.query, relation.node, before, statement.columns)

    def _sink(self, statement: parsed.Insert) -> Table:
        """The table that an insert writes into. Raises SqlError, or SqlErrors."""
        if statement.table in self.queries.broken:
            raise SqlErrors(())
        if statement.table not in self.queries.tables:
            hint = nearest(statement.table, self.queries.tables)
            raise SqlError(f"there is no table {statement.table!r} to insert into{hint}", statement.at)
        sink = with_options(self.queries.tables[statement.table], dict(statement.options))
        check_sink(sink, statement.at)
        check_alone(sink, statement, [one for one in self._inserts if one.table == statement.table])
        self._inserts.append(statement)
        return sink

    def _describe_inserts(self, query: ast.Query, node: Node, before: int, columns: tuple[str, ...] = ()) -> None:
        """Adds steps and meaning to the inserts of a query, which are those from index `before` on.

        `columns` is the column list of its INSERT.
        """
        findings, views = self.queries.findings, self.queries.views
        steps = steps_of(Sink(node, findings.inserts[before].sink.name))
        meaning = (*((("columns", ", ".join(columns)),) if columns else ()), *meaning_of(query, views))
        findings.inserts[before:] = [replace(one, steps=steps, meaning=meaning) for one in findings.inserts[before:]]
