"""The base of all tables of a program: the query that a table means, and the environment that plans it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.walk import children
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import WINDOW_PROPERTIES, Expression
from airflow_nrt.table.meaning import MeansQuery

if TYPE_CHECKING:
    from airflow_nrt.model.plan import Plan
    from airflow_nrt.model.result_timing import OutputOptions
    from airflow_nrt.program.functions import PythonFunction
    from airflow_nrt.sql.expressions.scope import ScopeColumn
    from airflow_nrt.sql.parse import parsed
    from airflow_nrt.sql.planner import Planner
    from airflow_nrt.table.tables.declaration import Declaration
    from airflow_nrt.table.tables.result import TableResult

T = TypeVar("T")
R = TypeVar("R", bound="Rows")


class Environment(Protocol):
    """The interface of the environment of tables, `TableEnvironment`."""

    pipelines: list[Any]

    def columns_of(self, query: ast.Query) -> tuple[ScopeColumn, ...]: ...
    def planner(self) -> Planner: ...
    def function(self, node: ast.Expression) -> PythonFunction | None: ...
    def named(self, part: T) -> T: ...
    def expressions(self, fields: Sequence[Any]) -> tuple[Expression, ...]: ...
    def chosen(self, fields: Sequence[Any]) -> tuple[Expression, ...]: ...
    def items(self, fields: Iterable[Expression], before: int = 0, width: int = 1) -> tuple[ast.SelectItem, ...]: ...
    def check_own(self, table: Any) -> None: ...
    def plan_of(self, table: MeansQuery) -> Plan: ...
    def executed(self, table: MeansQuery) -> TableResult: ...
    def insert_of(self, target_path: str, table: MeansQuery, options: OutputOptions | None) -> parsed.Insert: ...
    def add_insert(self, target_path: str, table: MeansQuery, options: OutputOptions | None = None) -> Declaration: ...
    def explained_inserts(self, inserts: Sequence[parsed.Insert], as_json: bool, script: str = "") -> str: ...


class Rows(MeansQuery):
    """Operations on a table are functions, because a public name here would hide a column of that name."""

    def __init__(self, environment: Environment, query: ast.Query) -> None:
        self.environment = environment
        self.query = query
        # The next call may complete a query that can't be planned yet: ORDER BY waits for its LIMIT.
        with suppress(NotThereYet):
            environment.columns_of(query)

    @property
    def columns(self) -> tuple[ScopeColumn, ...]:
        """Its columns with their types. Raises SqlError if this can't be planned as it is."""
        return self.environment.columns_of(self.query)

    def rows(self) -> tuple[ast.Relation, ast.Expression | None]:
        """The FROM and the WHERE of a query that reads this table."""
        query = self.query
        if isinstance(query, ast.Select) and query.relation is not None and _is_plain(query):
            return query.relation, query.where
        return ast.Derived(query, query.at), None

    def select(self: R, *fields: Expression) -> R:
        chosen = self.environment.chosen(fields)
        check_windows((one.node for one in chosen), None)
        return selected(self, self.environment.items(chosen, width=self.width(chosen)))

    def width(self, fields: tuple[Expression, ...]) -> int:
        """How many columns `*` stands for, if it is among these."""
        return len(self.columns) if any(isinstance(one.node, ast.Star) for one in fields) else 1

    def with_column(self: R, item: ast.SelectItem) -> R:
        """Its columns, followed by one that is computed from them."""
        return selected(self, (*all_columns(), item))


def another(table: R, query: ast.Query) -> R:
    """A table of the same environment."""
    return type(table)(table.environment, query)


def selected(table: R, items: tuple[ast.SelectItem, ...], **clauses: Any) -> R:
    """Selects these items from a table's rows; `clauses` are those of a SELECT."""
    relation, where = table.rows()
    return another(table, replace(ast.Select(items, relation, here(), where=where), **clauses))


def check_windows(nodes: Iterable[ast.Expression], window: str | None) -> None:
    """Raises SqlError for a property of an unknown window; `window` is the alias of the known one."""
    for node in nodes:
        if isinstance(node, ast.Call) and node.name[:1] == "." and node.name[1:] in WINDOW_PROPERTIES:
            (of,) = node.arguments
            name = of.parts[0] if isinstance(of, ast.Name) else ""
            if name != window:
                raise SqlError(
                    f"there is no window {name!r} here: it begins with .window(….alias({name!r})) and is among "
                    f"the keys, .group_by(col({name!r}))",
                    node.at,
                )
        check_windows(children(node), window)


def _is_plain(query: ast.Select) -> bool:
    """Whether it selects all columns and does nothing else but filter."""
    bare = not (query.distinct or query.group or query.having or query.windows or query.order or query.ctes)
    return bare and not counts_rows(query) and query.items == all_columns()


def counts_rows(query: ast.Select) -> bool:
    """Whether it has LIMIT or OFFSET."""
    return query.limit is not None or query.offset is not None


def all_columns() -> tuple[ast.SelectItem, ...]:
    return (ast.SelectItem(ast.Star(None, here()), None),)
