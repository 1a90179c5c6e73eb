"""Where the tables of a program come from, and where its inserts go: `TableEnvironment`, as in PyFlink.

It collects the statements that SQL would have. Only a result that is requested at once needs Spark.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.result_timing import OutputOptions
from airflow_nrt.sql.errors import Problems, SqlError, nesting_of
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import Complete, check_overwrite, checked, checked_name, wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.environment.settings import EnvironmentSettings, TableConfig
from airflow_nrt.table.expressions.expression import Expression, fields_of
from airflow_nrt.table.expressions.function_calls import FunctionCall, named
from airflow_nrt.table.meaning import MeansQuery
from airflow_nrt.table.tables.declaration import Declaration
from airflow_nrt.table.tables.table import Table

if TYPE_CHECKING:
    from airflow_nrt.functions import Declared
    from airflow_nrt.model.plan import Plan
    from airflow_nrt.program.functions import PythonFunction
    from airflow_nrt.sql.expressions.scope import ScopeColumn
    from airflow_nrt.sql.parse import parsed
    from airflow_nrt.sql.planner import Planner
    from airflow_nrt.table.tables.pipeline import TablePipeline
    from airflow_nrt.table.tables.result import TableResult

T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class StatementSet(Complete):
    """Inserts of one report: they share what they read and compute."""

    called = "a statement set"

    def __init__(self, environment: TableEnvironment) -> None:
        self._environment = environment
        self._first = len(environment.statements)

    def add_insert(
        self, target_path: str, table: Table, overwrite: bool = False, options: OutputOptions | None = None
    ) -> StatementSet:
        """Adds an insert, which publishes at the times that the options say."""
        check_overwrite(overwrite)
        self._environment.add_insert(target_path, table, options)
        return self

    def add_insert_sql(self, statement: str) -> StatementSet:
        self._environment.execute_sql(statement)
        return self

    def add(self, table_pipeline: TablePipeline) -> StatementSet:
        """Adds the result of `table.insert_into("name")`."""
        from airflow_nrt.table.tables.pipeline import TablePipeline

        checked("add takes an insert, as table.insert_into('name') gives", table_pipeline, TablePipeline).execute()
        return self

    def explain(self, as_json: bool = False) -> str:
        """The plan of the inserts since the set was created, in words or as JSON."""
        from airflow_nrt.sql.parse import parsed

        added = self._environment.statements[self._first :]
        return self._environment.explained_inserts([one for one in added if isinstance(one, parsed.Insert)], as_json)

    def print_explain(self) -> None:
        print(self.explain())

    def execute(self) -> Declaration:
        """Does nothing: a report runs when `airflow-nrt run` or an operator starts it."""
        return Declaration()


class TableEnvironment(Complete):
    """The tables, views, settings and inserts of one program; relative paths of tables start at `base`.

    `reserved` are names in its SQL that Flink takes only in back-quotes.
    """

    called = "a table environment"

    def __init__(self, settings: EnvironmentSettings | None = None, base: Path | None = None) -> None:
        self.mode = (settings or EnvironmentSettings()).mode
        self.base = base or Path.cwd()
        self.modules = base or _beside_program()
        self.statements: list[parsed.Statement] = []
        self.pipelines: list[TablePipeline] = []
        self._planner: Planner | None = None
        self._functions: dict[str, Declared] = {}
        self.reserved: dict[str, None] = {}

    @classmethod
    def create(cls, environment_settings: EnvironmentSettings | None = None) -> TableEnvironment:
        wanted = "create takes settings, as EnvironmentSettings.in_batch_mode() gives"
        return cls(checked(wanted, environment_settings, EnvironmentSettings, type(None)))

    def get_config(self) -> TableConfig:
        return TableConfig(self)

    def setting(self, key: str) -> str | None:
        """The value of a setting, None if it has none."""
        from airflow_nrt.sql.parse import parsed

        values = [one.value for one in self.statements if isinstance(one, parsed.SetOption) and one.key == key]
        return values[-1] if values else None

    # ------------------------------------------------------------------ statements

    def execute_sql(self, stmt: str) -> TableResult | Declaration:
        """Executes statements of SQL; returns the result of a query. Raises SqlError, or SqlErrors with all
        problems."""
        from airflow_nrt.sql.parse.statements import parse_script

        stmt = self.filled(checked("execute_sql takes statements of SQL as text", stmt, str))
        if _is_query(stmt):
            return self._queried(stmt).execute()
        problems = Problems()
        for statement in parse_script(stmt, problems):
            problems.attempt(lambda one=statement: self.add(one))  # type: ignore[misc]
        problems.raise_any(stmt)
        self.reserved |= problems.reserved
        return Declaration()

    def filled(self, text: str) -> str:
        """The SQL that is planned."""
        return text

    def add(self, statement: parsed.Statement) -> None:
        """Adds a statement. Raises SqlError, or SqlErrors, and drops the statement if it is wrong."""
        from airflow_nrt.sql.expressions.local_time import zone_of
        from airflow_nrt.sql.parse import parsed
        from airflow_nrt.sql.parse.uuids import all_with_names

        if isinstance(statement, parsed.Insert):
            self.check_insert()
        planner = self.planner()
        planner.queries.zone = zone_of([*self.statements, statement], None)
        with planner.at_work(statement.at):
            planner.add(*all_with_names([statement]))
        self.statements.append(statement)

    def check_insert(self) -> None:
        """Raises InputError if inserts are never run."""
        raise InputError(
            f"{here()}: inserts are for a report, which goes on where it stopped and keeps its home: put this into "
            "def build(t_env) of a report.py, and run airflow-nrt run report.py --home DIR"
        )

    def planner(self) -> Planner:
        """The planner with all statements so far."""
        if self._planner is None:
            from airflow_nrt.sql.planner import Planner

            self._planner = Planner(self.base)
        return self._planner

    def columns_of(self, query: ast.Query) -> tuple[ScopeColumn, ...]:
        """The columns of a query. Raises SqlError, or SqlErrors."""
        return self.planner().columns_of(query)

    # ------------------------------------------------------------------ functions and expressions

    def create_temporary_function(self, path: str, function: Any) -> None:
        """Registers a function under a name for SQL and for `call(path, …)`. Raises SqlError if the name can't be
        used."""
        from airflow_nrt.sql.expressions.python_functions import as_declared

        if _NAME.fullmatch(checked("a function's name is a text", path, str)) is None:
            raise SqlError(f"{path!r} is no name of a function: it has letters, digits and _, no catalog", here())
        if isinstance(function, Expression):
            raise wrong("create_temporary_function takes a function, as @udf declares one", function)
        if path.upper() in _built_in():
            raise SqlError(f"there is a built-in function {path.upper()}: give yours another name", here())
        self._declare(path, as_declared(function, path))

    create_temporary_system_function = create_temporary_function

    def list_functions(self) -> list[str]:
        return sorted({*_built_in(), *self.planner().functions})

    def list_user_defined_functions(self) -> list[str]:
        return sorted(self.planner().functions)

    def _declare(self, name: str, declared: Declared) -> None:
        from airflow_nrt.sql.parse import parsed

        self.add(parsed.DeclaredFunction(name, declared, self.modules, here()))

    def expressions(self, fields: Sequence[Any]) -> tuple[Expression, ...]:
        """The fields of a method, checked. Functions have their names afterwards."""
        with nesting_of(here()):
            return tuple(Expression(self.named(one.node), one.names) for one in fields_of(fields))

    def chosen(self, fields: Sequence[Any]) -> tuple[Expression, ...]:
        """The same for a select: at least one field."""
        if not fields:
            raise SqlError("select takes at least one column, as in select(col('a'))", here())
        return self.expressions(fields)

    def check_own(self, table: Any) -> None:
        """Raises SqlError if it is no table, or one of another environment, where names mean other tables."""
        if checked("a table is needed here, as from_path('name') gives", table, Table).environment is not self:
            raise SqlError("a table of another environment: make both by one t_env", here())

    def named(self, part: T) -> T:
        """The same, with functions of the program under their names in the plan."""
        from airflow_nrt.sql.parse.walk import rewritten

        return rewritten(part, self._named)

    def _named(self, part: Any) -> ast.Call | None:
        """The call of a function of the program, which is declared with its first call."""
        if not isinstance(part, FunctionCall) or part.declared is None:
            return None
        title = re.sub(r"\W", "", part.declared.title, flags=re.ASCII).upper() or "LAMBDA"
        known = next((name for name, declared in self._functions.items() if declared is part.declared), None)
        if known is None:
            known = next(name for n in count() if (name := f"{title}_{n}" if n else title) not in self._taken())
            self._declare(known, part.declared)
            self._functions[known] = part.declared
        return named(replace(part, arguments=self.named(part.arguments)), known)

    def _taken(self) -> set[str]:
        return {*_built_in(), *self.planner().functions}

    def function(self, node: ast.Expression) -> PythonFunction | None:
        """The Python function that an expression calls, if it is only that call."""
        return self.planner().functions.get(node.name) if isinstance(node, ast.Call) else None

    def items(self, fields: Iterable[Expression], before: int = 0, width: int = 1) -> tuple[ast.SelectItem, ...]:
        """The items of a SELECT, named as PyFlink names them; `before` columns come first, `*` is `width` columns."""
        from airflow_nrt.sql.expressions.known_functions import calling
        from airflow_nrt.table.expressions.naming import items_of

        with calling(self.planner().functions):
            return items_of(((one.node, one.names) for one in fields), before, width)

    # ------------------------------------------------------------------ tables

    def from_path(self, path: str) -> Table:
        """A table or view by its name."""
        at = here()
        checked_name("from_path takes the name of a table or view", path)
        star = (ast.SelectItem(ast.Star(None, at), None),)
        return Table(self, ast.Select(star, ast.TableName(path.rpartition(".")[2].strip("`"), at), at))

    def sql_query(self, query: str) -> Table:
        return self._queried(self.filled(checked("sql_query takes a query of SQL as text", query, str)))

    def _queried(self, query: str) -> Table:
        from airflow_nrt.sql.parse.statements import parse_query

        problems = Problems()
        table = problems.attempt(lambda: Table(self, parse_query(query)))
        problems.raise_any(query)
        assert table is not None
        return table

    def create_temporary_view(self, view_path: str, table: Table) -> None:
        from airflow_nrt.sql.parse import parsed

        checked_name("a view's name is a text", view_path)
        self.check_own(table)
        self.add(parsed.CreateView(view_path, (), table.query, False, here()))

    def drop_temporary_view(self, view_path: str) -> bool:
        """Drops a view, and says whether there was one. Tables that were made from it can't be executed any more."""
        from airflow_nrt.sql.parse import parsed

        return self._forget(view_path, parsed.CreateView)

    def drop_temporary_table(self, table_path: str) -> bool:
        """The same for a table."""
        from airflow_nrt.sql.parse import parsed

        return self._forget(table_path, parsed.CreateTable)

    drop_view, drop_table = drop_temporary_view, drop_temporary_table

    def _forget(self, name: str, kind: type[parsed.CreateTable | parsed.CreateView]) -> bool:
        from airflow_nrt.table.environment.forget import without

        rest = without(self.statements, name, kind, self.base)
        if rest is not None:
            self.statements, self._planner = rest
        return rest is not None

    def list_tables(self) -> list[str]:
        """The names of tables and views."""
        return sorted([*self.planner().queries.tables, *self.planner().queries.views])

    def list_views(self) -> list[str]:
        return sorted(self.planner().queries.views)

    list_temporary_tables, list_temporary_views = list_tables, list_views

    def create_statement_set(self) -> StatementSet:
        return StatementSet(self)

    def add_insert(self, target_path: str, table: MeansQuery, options: OutputOptions | None = None) -> Declaration:
        self.add(self.insert_of(target_path, table, options))
        return Declaration()

    def insert_of(self, target_path: str, table: MeansQuery, options: OutputOptions | None) -> parsed.Insert:
        """An insert that is not declared yet."""
        from airflow_nrt.sql.parse import parsed

        checked_name("an insert takes the name of a table", target_path)
        self.check_own(table)
        if options is not None:
            checked("an insert takes OutputOptions(…)", options, OutputOptions)
        timing = tuple(options.written().items()) if options is not None else ()
        return parsed.Insert(target_path, (), table.query, here(), timing)

    # ------------------------------------------------------------------ plans and results

    def plan_of(self, table: MeansQuery) -> Plan:
        """The plan of one table's rows. Raises SqlError, or SqlErrors."""
        from airflow_nrt.sql.planner import plan_parsed_query

        return replace(plan_parsed_query(self._declared(), table.query, self.base), base=str(self.modules))

    def explain_sql(self, stmt: str, as_json: bool = False) -> str:
        """The plan of a query, or of inserts, in words or as JSON. Raises SqlError, or SqlErrors."""
        from airflow_nrt.sql.parse import parsed
        from airflow_nrt.sql.parse.statements import parse_script

        stmt = self.filled(checked("explain_sql takes a query or an INSERT of SQL as text", stmt, str))
        if _is_query(stmt):
            return self._queried(stmt).explain(as_json)
        problems = Problems()
        inserts = [one for one in parse_script(stmt, problems) if isinstance(one, parsed.Insert)]
        problems.raise_any(stmt)
        return self.explained_inserts(inserts, as_json, stmt)

    def explained_inserts(self, inserts: Sequence[parsed.Insert], as_json: bool, script: str = "") -> str:
        """The plan of these inserts alone. Raises SqlError, or SqlErrors."""
        from airflow_nrt.sql.planner import plan_statements
        from airflow_nrt.table.tables.explained import explained

        if not inserts:
            raise SqlError("there is no insert here to explain: a table has .explain() of its own", here())
        return explained(
            plan_statements([*self._declared(), *inserts], script, "inserts", self.base, {}, Problems()), as_json
        )

    def _declared(self) -> list[parsed.Statement]:
        from airflow_nrt.sql.parse import parsed

        return [one for one in self.statements if not isinstance(one, parsed.Insert)]

    def executed(self, table: MeansQuery) -> TableResult:
        from airflow_nrt.table.tables.result import TableResult

        return TableResult(self.plan_of(table), self.mode)


def _beside_program() -> Path:
    """The directory of the modules of an interactive program: its own, or the working directory if Python was not
    started with a file."""
    from airflow_nrt.program.modules import is_installed

    file = Path(getattr(sys.modules["__main__"], "__file__", None) or "").absolute()
    return file.parent if file.suffix == ".py" and not is_installed(file) else Path.cwd()


def _is_query(text: str) -> bool:
    return text.split(None, 1)[:1] != [] and text.split(None, 1)[0].upper() in ("SELECT", "WITH")


def _built_in() -> set[str]:
    from airflow_nrt.sql.expressions.aggregates import AGGREGATES
    from airflow_nrt.sql.expressions.functions import FUNCTIONS
    from airflow_nrt.sql.expressions.functions.clock import CLOCK_FUNCTIONS

    return {*FUNCTIONS, *CLOCK_FUNCTIONS, *AGGREGATES}
